"""One question to a judge model and one answer, free of any provider's words."""

from __future__ import annotations

from typing import Literal, TypeAlias

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.step import Usage

FinishReason: TypeAlias = Literal["stop", "length", "refusal", "safety", "other"]


class JudgeMessage(Frozen):
    """One message of the question."""

    role: Literal["system", "user", "assistant"]
    text: str


class JudgeRequest(Frozen):
    """One call to one model. Votes, retries and caching are the client's business."""

    model: str
    """The provider's name for the model, without the backend's prefix."""
    messages: tuple[JudgeMessage, ...]
    schema_: JsonObject | None = None
    """A JSON schema that the answer must satisfy; the backend uses the provider's own mechanism."""
    parameters: JsonObject = {}
    """Sampling parameters, for instance ``temperature``; names as in the OpenAI API."""
    seed: int | None = None
    timeout: float | None = None
    """Seconds."""


class JudgeReply(Frozen):
    """What the model answered."""

    text: str
    finish_reason: FinishReason = "stop"
    model_version: str | None = None
    usage: Usage | None = None
    logprobs: tuple[JsonObject, ...] | None = None
