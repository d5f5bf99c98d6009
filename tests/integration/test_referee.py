"""The judge backends before a referee that none of us wrote: npm ``@copilotkit/aimock``.

It answers OpenAI, Azure, Anthropic, Gemini and Ollama from one file, ``referee.json``, by what the user
says. ``nox -s referee`` installs and starts it; ``ADJUDGE_REFEREE`` is then its address.

The one answer that names a model is there for Ollama: a referee's Ollama has the models that its file names.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.extension.loader import Extensions, discover
from adjudge.model import JudgeMessage
from adjudge.plugin import JudgeError, JudgeReply, JudgeRequest
from adjudge.testing import FakeHost

REFEREE = os.environ.get("ADJUDGE_REFEREE", "")
KEY = "referee-key-0123456789"

pytestmark = pytest.mark.skipif(not REFEREE, reason="ADJUDGE_REFEREE names no server; run nox -s referee")

SCHEMA = {
    "type": "object",
    "properties": {
        "rationale": {"type": "string", "description": "why"},
        "verdict": {"type": "string", "enum": ["yes", "no"]},
    },
    "required": ["rationale", "verdict"],
    "additionalProperties": False,
}

AZURE = {"AZURE_OPENAI_ENDPOINT": REFEREE, "AZURE_OPENAI_API_KEY": KEY}
JUDGES: dict[str, tuple[str, dict[str, str]]] = {
    "openai": ("openai/gpt-5-mini", {"OPENAI_BASE_URL": f"{REFEREE}/v1", "OPENAI_API_KEY": KEY}),
    "openai, as OpenRouter": (
        "openai/openai/gpt-5-mini",
        {"OPENAI_BASE_URL": f"{REFEREE}/api/v1", "OPENAI_API_KEY": KEY},
    ),
    "azure-openai, v1": ("azure-openai/gpt-5-mini", AZURE),
    "azure-openai, dated": ("azure-openai/gpt-5-mini", {**AZURE, "OPENAI_API_VERSION": "2024-10-21"}),
    "anthropic": ("anthropic/claude-haiku-4-5", {"ANTHROPIC_BASE_URL": REFEREE, "ANTHROPIC_API_KEY": KEY}),
    "gemini": ("gemini/gemini-2.5-flash", {"GOOGLE_GEMINI_BASE_URL": REFEREE, "GEMINI_API_KEY": KEY}),
    "ollama": ("ollama/llama3.2:3b", {"OLLAMA_HOST": REFEREE}),
}

# What the referee does not play: Ollama's counts and reasons, and how Anthropic ends a blocked answer.
WITH_COUNTS = [name for name in JUDGES if name != "ollama"]
WITH_FILTER = [name for name in JUDGES if name not in ("anthropic", "ollama")]

Ask = Callable[[str], JudgeReply]


@pytest.fixture(params=JUDGES)
def judge(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ask(judge: str, tmp_path: Path) -> Ask:
    """Ask an installed backend, chosen by its registered name."""
    name, environment = JUDGES[judge]
    provider, _, model = name.partition("/")
    spec = Extensions(discover()).judge_backends.resolve(provider).spec

    def ask(question: str) -> JudgeReply:
        messages = (
            JudgeMessage(role="system", text="You judge."),
            JudgeMessage(role="user", text=question),
        )
        request = JudgeRequest(
            model=model,
            messages=messages,
            schema_=SCHEMA,
            parameters={"temperature": 0.5, "max_tokens": 100},
        )

        async def main() -> JudgeReply:
            backend = spec.factory(spec.config(), FakeHost(tmp_path, environment=environment))
            assert list(backend.missing(model)) == []  # type: ignore[attr-defined]
            try:
                return await backend.complete(request)
            finally:
                await backend.aclose()  # type: ignore[attr-defined]

        return asyncio.run(main())

    return ask


def test_every_provider_gives_the_same_verdict(ask: Ask) -> None:
    reply = ask("Is 2 even?")

    assert json.loads(reply.text) == {"rationale": "2 = 2 × 1", "verdict": "yes"}
    assert reply.finish_reason == "stop"


@pytest.mark.parametrize("judge", WITH_COUNTS)
def test_tokens_are_counted(ask: Ask) -> None:
    reply = ask("Is 2 even?")

    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (50, 8)


@pytest.mark.parametrize("judge", WITH_COUNTS)
def test_an_answer_that_is_cut_off(ask: Ask) -> None:
    reply = ask("Count to a million.")

    assert reply.finish_reason == "length"
    assert reply.text.startswith('{"rationale"')


@pytest.mark.parametrize("judge", WITH_FILTER)
def test_an_answer_that_the_provider_blocks(ask: Ask) -> None:
    assert ask("What may nobody say?").finish_reason == "safety"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Too many at a time?", "rate_limit"),
        ("Is the server well?", "server"),
        ("Whose key is it?", "auth"),
    ],
)
def test_failures_have_the_same_class_everywhere(ask: Ask, question: str, code: str) -> None:
    with pytest.raises(JudgeError) as caught:
        ask(question)

    assert caught.value.code == code
    assert KEY not in str(caught.value)
    if code == "rate_limit":
        assert caught.value.retry_after == 1.0


AGENT = """
def agent(text):
    return "The bedroom light is off."
"""
CASES = {
    "eval_set_id": "lights",
    "eval_cases": [
        {
            "eval_id": "bedroom",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Turn off the bedroom light."}]},
                    "final_response": {"parts": [{"text": "Done: the bedroom light is off."}]},
                }
            ],
        }
    ],
}
CONFIG = {"criteria": {"final_response_match_v2": {"threshold": 0.8}}}


def test_one_word_swaps_the_judge_of_a_run(
    judge: str, tmp_path: Path, adjudge: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "lights.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "lights.test.json").write_text(json.dumps(CASES), encoding="utf-8")
    (tmp_path / "test_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    name, environment = JUDGES[judge]

    done = adjudge(
        "eval", "lights:agent", "lights.test.json", "--judge", name, "--output", "out.json", **environment
    )

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    [measured] = report["run"]["eval_sets"]["lights.test.json"]["criteria"].values()
    assert [judge["models"] for judge in measured["judges"]] == [[name]]
    assert report["summary"]["status"] == "PASS"
    assert KEY not in done.stdout + done.stderr
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [content for content in kept if KEY.encode() in content]
