"""Gemini on Vertex AI as a judge, through the command line and by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import adjudge_vertex
import pytest
from loopback_google import Google, failure

from adjudge.model import JudgeMessage
from adjudge.plugin import (
    JudgeBackend,
    JudgeError,
    JudgeReply,
    JudgeRequest,
    SupportsClose,
    SupportsModelCheck,
)
from adjudge.testing import FakeHost, as_candidate, manager

REQUEST = JudgeRequest(
    model="gemini-2.5-flash",
    messages=(JudgeMessage(role="system", text="Judge."), JudgeMessage(role="user", text="Is it so?")),
    parameters={"temperature": 0.5},
)
ANSWER = {
    "candidates": [{"content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 1, "totalTokenCount": 8},
    "modelVersion": "gemini-2.5-flash-001",
}


def backend(google: Google, folder: Path) -> JudgeBackend:
    spec = manager(as_candidate("vertex", adjudge_vertex)).judge_backends.resolve("vertex").spec
    return spec.factory(spec.config(), FakeHost(folder, environment=google.environment))


def reply(google: Google, folder: Path) -> JudgeReply:
    async def asked() -> JudgeReply:
        made = backend(google, folder)
        assert isinstance(made, SupportsClose)
        try:
            return await made.complete(REQUEST)
        finally:
            await made.aclose()

    return asyncio.run(asked())


def test_a_call_is_made_with_a_token(google: Google, tmp_path: Path) -> None:
    google.answer = ANSWER

    said = reply(google, tmp_path)

    assert (said.text, said.model_version) == ("yes", "gemini-2.5-flash-001")
    assert said.usage is not None
    assert said.usage.total_tokens == 8
    assert google.asked == [
        {
            "systemInstruction": {"parts": [{"text": "Judge."}]},
            "contents": [{"role": "user", "parts": [{"text": "Is it so?"}]}],
            "generationConfig": {"temperature": 0.5},
        }
    ]
    assert google.headers[0]["authorization"] == f"Bearer {google.tokens[0]}"


@pytest.mark.parametrize(
    ("status", "name", "code"),
    [
        (403, "PERMISSION_DENIED", "auth"),
        (404, "NOT_FOUND", "unknown_model"),
        (429, "RESOURCE_EXHAUSTED", "rate_limit"),
        (503, "UNAVAILABLE", "overload"),
    ],
)
def test_a_failure_has_its_class_and_one_call(
    google: Google, tmp_path: Path, status: int, name: str, code: str
) -> None:
    google.answer = failure(status, name, "no", **{"Retry-After": "7"})

    with pytest.raises(JudgeError) as raised:
        reply(google, tmp_path)

    assert (raised.value.code, raised.value.retry_after) == (code, 7.0)
    assert len(google.asked) == 1


def test_what_is_missing_is_said_without_a_call(google: Google, tmp_path: Path) -> None:
    whole = backend(google, tmp_path)
    assert isinstance(whole, SupportsModelCheck)
    assert not list(whole.missing("gemini-2.5-flash"))

    google.environment = {"HOME": str(tmp_path), "GOOGLE_CLOUD_LOCATION": "us-central1"}
    poor = backend(google, tmp_path)
    assert isinstance(poor, SupportsModelCheck)
    said = "\n".join(poor.missing("gemini-2.5-flash"))
    assert "GOOGLE_CLOUD_PROJECT" in said
    assert "GOOGLE_CLOUD_LOCATION" not in said
    assert "gcloud auth application-default login" in said
    with pytest.raises(JudgeError, match="GOOGLE_CLOUD_PROJECT"):
        reply(google, tmp_path)

    assert not google.tokens
