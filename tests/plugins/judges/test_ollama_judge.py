"""The ``ollama`` backend against a server that speaks Ollama's native chat."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Response

from adjudge.model import JudgeMessage, Usage
from adjudge.plugin import JudgeError, JudgeReply
from adjudge_plugins.judges import ollama_judge

SCHEMA = {
    "type": "object",
    "properties": {"rationale": {"type": "string"}, "verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["rationale", "verdict"],
    "additionalProperties": False,
}
CHAT = {
    "model": "llama3.2:3b",
    "created_at": "2026-03-01T12:00:00.123Z",
    "message": {"role": "assistant", "content": '{"verdict": "yes"}'},
    "done": True,
    "done_reason": "stop",
    "total_duration": 1234567890,
    "prompt_eval_count": 50,
    "eval_count": 20,
}

Ask = Callable[..., JudgeReply]


Provider = Any  # of conftest.py


@pytest.fixture
def provider(provider_of: Callable[..., Provider]) -> Provider:
    return provider_of(
        ollama_judge,
        "/api/chat",
        environment=lambda server: {"OLLAMA_HOST": f"{server.host}:{server.port}"},
        model="llama3.2:3b",
        answer=CHAT,
    )


def test_the_request(provider: Provider) -> None:
    messages = (
        JudgeMessage(role="system", text="You judge."),
        JudgeMessage(role="user", text="Is 2 even? 𝟚"),
        JudgeMessage(role="assistant", text="perhaps"),
    )

    provider.ask(
        messages=messages,
        schema_=SCHEMA,
        parameters={
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 5,
            "max_tokens": 700,
            "stop": ["END"],
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
        },
        provider_options={"num_ctx": 16384, "keep_alive": "10m", "think": False},
        seed=17,
    )

    [request] = provider.requests
    assert "authorization" not in request.headers
    assert provider.body == {
        "model": "llama3.2:3b",
        "messages": [
            {"role": "system", "content": "You judge."},
            {"role": "user", "content": "Is 2 even? 𝟚"},
            {"role": "assistant", "content": "perhaps"},
        ],
        "stream": False,
        "truncate": False,
        "shift": False,
        "format": SCHEMA,
        "keep_alive": "10m",
        "think": False,
        "options": {
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 5,
            "num_predict": 700,
            "stop": ["END"],
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
            "seed": 17,
            "num_ctx": 16384,
        },
    }
    assert list(provider.body["format"]["properties"]) == ["rationale", "verdict"]


def test_the_reply(provider: Provider) -> None:
    assert provider.ask(schema_=SCHEMA) == JudgeReply(
        text='{"verdict": "yes"}',
        finish_reason="stop",
        model_version="llama3.2:3b",
        usage=Usage(input_tokens=50, output_tokens=20, total_tokens=70),
    )


def test_thinking_is_not_the_answer(provider: Provider) -> None:
    message = {"role": "assistant", "content": "yes", "thinking": "no, wait"}

    assert provider.ask({**CHAT, "message": message}).text == "yes"


@pytest.mark.parametrize(
    ("reason", "finish"), [("stop", "stop"), (None, "stop"), ("length", "length"), ("load", "other")]
)
def test_why_it_stopped(provider: Provider, reason: str | None, finish: str) -> None:
    assert provider.ask({**CHAT, "done_reason": reason}).finish_reason == finish


def test_an_answer_that_thinking_used_up(provider: Provider) -> None:
    message = {"role": "assistant", "content": "", "thinking": "hm"}
    reply = provider.ask({**CHAT, "message": message, "done_reason": "length"})

    assert (reply.text, reply.finish_reason) == ("", "length")


def test_a_reply_without_counts(provider: Provider) -> None:
    reply = provider.ask({"message": CHAT["message"], "done": True, "eval_count": True})

    assert (reply.usage, reply.model_version) == (None, None)


@pytest.mark.parametrize(
    "answer",
    [
        {**CHAT, "message": None},
        {**CHAT, "message": "yes"},
        {**CHAT, "message": {"role": "assistant", "content": ""}},
        {**CHAT, "message": {"role": "assistant", "content": ["yes"]}},
        {**CHAT, "done": False},
        {"done": True},
        {"error": "an error with status 200"},
    ],
    ids=["null", "text", "empty", "list", "unfinished", "nothing", "error"],
)
def test_an_answer_without_a_message(provider: Provider, answer: dict[str, Any]) -> None:
    assert provider.fails(answer).code == "malformed"


OVERFLOW = json.dumps(
    {
        "error": {
            "code": 400,
            "message": "request (8889 tokens) exceeds the available context size (4096 tokens)",
            "type": "exceed_context_size_error",
        }
    }
)
ERRORS = [
    (404, "model 'llama3.2:3b' not found", "unknown_model"),
    (400, OVERFLOW, "context_too_long"),
    (400, "the prompt is longer than the context length currently available", "context_too_long"),
    (400, 'invalid format: "{}"; expected "json" or a valid JSON Schema object', "schema_rejected"),
    (500, "failed to load model vocabulary required to parse grammar", "schema_rejected"),
    (500, "model requires more system memory (9.0 GiB) than is available (2.0 GiB)", "unknown_model"),
    (400, '"all-minilm" does not support chat', "unknown_model"),
    (400, "messages must be an array", "bad_request"),
    (401, "unauthorized", "auth"),
    (500, "llama runner process has terminated", "server"),
    (503, "server busy, please try again.  maximum pending requests exceeded", "overload"),
]


@pytest.mark.parametrize(("status", "message", "code"), ERRORS)
def test_errors(provider: Provider, status: int, message: str, code: str) -> None:
    error = provider.fails({"error": message}, status=status)

    assert error.code == code
    assert f"answered {status}" in str(error)
    assert len(provider.requests) == 1


def test_a_model_that_is_not_there_can_be_fetched(provider: Provider) -> None:
    error = provider.fails({"error": "model 'llama3.2:3b' not found"}, status=404)

    assert str(error).endswith("fetch it with: ollama pull llama3.2:3b")


@pytest.mark.parametrize("option", ["stream", "format", "options", "truncate", "messages"])
def test_options_cannot_replace_the_question(provider: Provider, option: str) -> None:
    error = provider.fails(schema_=SCHEMA, provider_options={option: "mine"})

    assert error.code == "bad_request"
    assert f"judge_model_config cannot set '{option}'" in str(error)
    assert provider.requests == []


# --- where it is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  ", "http://127.0.0.1:11434"),
        ('"gpu-box"', "http://gpu-box:11434"),
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:8080", "http://gpu-box:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("10.1.2.3", "http://10.1.2.3:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("::", "http://[::1]:11434"),
        ("http://gpu-box", "http://gpu-box:80"),
        ("http://gpu-box:8080/", "http://gpu-box:8080"),
        ("https://gpu-box", "https://gpu-box:443"),
        ("https://gpu-box/ollama/", "https://gpu-box:443/ollama"),
    ],
)
def test_the_forms_of_the_host(make_judge: Callable[..., Any], written: str, url: str) -> None:
    assert make_judge(ollama_judge, {"OLLAMA_HOST": written}).fingerprint() == {"base_url": url}


def test_without_a_host_it_is_this_machine(make_judge: Callable[..., Any]) -> None:
    assert make_judge(ollama_judge, {}).fingerprint() == {"base_url": "http://127.0.0.1:11434"}


@pytest.mark.parametrize(
    "written",
    ["gpu-box:port", "gpu-box:99999", "ftp://gpu-box", "me:secret@gpu-box", "http://me:secret@gpu-box"],
)
def test_a_host_that_is_none(make_judge: Callable[..., Any], ask: Ask, written: str) -> None:
    backend = make_judge(ollama_judge, {"OLLAMA_HOST": written})

    [problem] = backend.missing("llama3.2:3b")
    with pytest.raises(JudgeError) as caught:
        ask(ollama_judge, {"OLLAMA_HOST": written})

    assert problem.startswith("OLLAMA_HOST ")
    assert str(caught.value) == problem
    assert "secret" not in problem
    assert backend.fingerprint() == {"base_url": None}


TAGS = {"models": [{"name": "llama3.2:3b"}, {"name": "qwen3:latest"}, {"name": "hf.co/me/judge:Q4_K_M"}]}


def test_models_that_are_there(httpserver: HTTPServer, make_judge: Callable[..., Any]) -> None:
    httpserver.expect_request("/api/tags", method="GET").respond_with_json(TAGS)
    backend = make_judge(ollama_judge, {"OLLAMA_HOST": f"{httpserver.host}:{httpserver.port}"})

    for model in (None, "llama3.2:3b", "qwen3", "qwen3:latest", "hf.co/me/judge:Q4_K_M"):
        assert list(backend.missing(model)) == []
    for model in ("llama3.2", "llama3.2:1b", "hf.co/me/judge"):
        [problem] = backend.missing(model)
        assert f"has no model '{model}': fetch it with: ollama pull {model}" in problem


@pytest.mark.parametrize(
    "response",
    [Response("It works!"), Response("[]"), Response("{}"), Response("no", 500), Response(b"\xff")],
    ids=["text", "list", "object", "500", "not UTF-8"],
)
def test_another_server_at_its_place(
    httpserver: HTTPServer, make_judge: Callable[..., Any], response: Response
) -> None:
    httpserver.expect_request("/api/tags").respond_with_response(response)
    host = f"{httpserver.host}:{httpserver.port}"

    [problem] = make_judge(ollama_judge, {"OLLAMA_HOST": host}).missing("llama3.2:3b")

    assert problem == f"no Ollama server answers at http://{host} (OLLAMA_HOST): start it with: ollama serve"


def test_no_server_and_one_that_never_answers(make_judge: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        [never] = make_judge(ollama_judge, {"OLLAMA_HOST": host}).missing(None)
    [nobody] = make_judge(ollama_judge, {"OLLAMA_HOST": host}).missing(None)

    assert never == nobody
    assert host in nobody


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=st.dictionaries(st.sampled_from([*CHAT, "content"]), JSON))
def test_any_json_is_a_reply_or_a_typed_failure(provider: Provider, answer: dict[str, Any]) -> None:
    for body in (answer, {**answer, "message": answer}):
        try:
            provider.ask({"anything": 1, **body})
        except JudgeError as error:
            assert error.code == "malformed"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=st.text(alphabet="abAB019:/[].@%?# \\é\n", max_size=30))
def test_any_host_is_an_address_or_a_problem(make_judge: Callable[..., Any], written: str) -> None:
    backend = make_judge(ollama_judge, {"OLLAMA_HOST": written})

    url = backend.fingerprint()["base_url"]

    assert url is None or url.startswith(("http://", "https://"))


def test_the_server_of_this_machine_is_looked_for_without_the_proxy(
    httpserver: HTTPServer, make_judge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody is there
    httpserver.expect_request("/api/tags").respond_with_json({"models": [{"name": "llama3.2:3b"}]})

    backend = make_judge(ollama_judge, {"OLLAMA_HOST": f"{httpserver.host}:{httpserver.port}"})

    assert list(backend.missing("llama3.2:3b")) == []
