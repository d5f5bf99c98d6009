"""Judge backend for servers with OpenAI's Chat Completions protocol.

Definitions: OpenAI's API reference, "Create chat completion" and "The chat completion object"
(https://platform.openai.com/docs/api-reference/chat), and its guides "Structured model outputs" and
"Rate limits", where the headers are described.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, TypeAlias

from adjudge.errors import JudgeError, JudgeErrorCode
from adjudge.kit.http_judge.backend import HttpJudge
from adjudge.kit.http_judge.chat_errors import chat_error_code, embedded_error_code, error_of, is_blocked
from adjudge.kit.http_judge.connection import HttpAnswer
from adjudge.kit.http_judge.json_values import object_or_empty, objects_or_empty, text_or_empty
from adjudge.kit.http_judge.provider_options import with_options
from adjudge.model.base import JsonObject
from adjudge.model.judging import FinishReason, JudgeReply, JudgeRequest, RateLimit

TokenLimit: TypeAlias = Literal["max_tokens", "max_completion_tokens"]
"""The name of the parameter for the maximum tokens of the answer.

OpenAI's reasoning models reject ``max_tokens``, and all its models accept ``max_completion_tokens``. Servers of open
models support ``max_tokens``, and only some the other one.
"""

_FINISH_REASONS: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "safety",
}

_DURATION: Final = re.compile(
    r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?"
)
_UNITS: Final = (86_400.0, 3_600.0, 60.0, 1.0, 1e-3)


class ChatCompletionsJudge(HttpJudge):
    """A judge backend for the Chat Completions protocol. Subclasses define the variables and the address."""

    path: ClassVar[str] = "/chat/completions"

    @property
    def token_limit(self) -> TokenLimit:
        """The server's name of the parameter ``max_tokens``."""
        return "max_tokens"

    def body(self, request: JudgeRequest) -> JsonObject:
        """Convert a request to the body of a call.

        Raises:
            JudgeError: ``provider_options`` has a key that the client sets.
        """
        body: JsonObject = {
            "model": request.model,
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        }
        if request.schema_ is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": request.schema_},
            }
        for name, value in request.parameters.items():
            body[self.token_limit if name == "max_tokens" else name] = value
        if request.seed is not None:
            body["seed"] = request.seed
        return with_options(body, request.provider_options)

    def reply(self, answer: HttpAnswer) -> JudgeReply:
        """Convert the first choice of an answer to a reply.

        The text of a refusal is the model's explanation; a blocked question has no text.

        Raises:
            JudgeError: the answer reports an error, has no choice with a message, or has a finished one without text.
        """
        from adjudge.kit.openai import usage_from_openai  # not at the top: listings import this module

        body, url = answer.body, answer.url
        choices = objects_or_empty(body.get("choices"))
        choice = choices[0] if choices else {}
        if error := error_of(body) or error_of(choice):
            if is_blocked(answer.status, {"error": error}):
                return JudgeReply(text="", finish_reason="safety", rate=_rate_limit_of(answer.headers))
            raise JudgeError(f"{url} answered an error: {answer.excerpt}", code=embedded_error_code(error))
        message = object_or_empty(choice.get("message"))
        content, refusal = message.get("content"), message.get("refusal")
        if not message or not isinstance(content, str | None) or not isinstance(refusal, str | None):
            raise JudgeError(
                f"{url} answered without choices[0].message and its text: {answer.excerpt}", code="malformed"
            )
        finish: FinishReason = _FINISH_REASONS.get(text_or_empty(choice.get("finish_reason")), "other")
        text = refusal or content or ""
        if finish == "stop" and not text:
            raise JudgeError(f"{url} answered a finished message without a word", code="malformed")
        return JudgeReply(
            text=text,
            finish_reason="refusal" if refusal else finish,
            model_version=text_or_empty(body.get("model")) or None,
            usage=usage_from_openai(object_or_empty(body["usage"])) if body.get("usage") else None,
            rate=_rate_limit_of(answer.headers),
        )

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:
        """The error code of a failure from its body; ``None`` to derive it from the HTTP status."""
        return chat_error_code(status, body)

    def is_answer(self, status: int, body: Any) -> bool:
        """Whether the provider blocked the question."""
        return is_blocked(status, body)


def _rate_limit_of(headers: Mapping[str, str]) -> RateLimit | None:
    """Parse ``x-ratelimit-remaining-requests`` and ``x-ratelimit-reset-requests``; ``None`` if both are missing."""
    remaining = headers.get("x-ratelimit-remaining-requests", "")
    known = int(remaining) if re.fullmatch(r"\d{1,12}", remaining, re.ASCII) else None
    reset = _seconds(headers.get("x-ratelimit-reset-requests", ""))
    return None if known is None and reset is None else RateLimit(remaining_requests=known, reset_after=reset)


def _seconds(duration: str) -> float | None:
    """Parse a duration: ``6m0s``, ``1.5s``, ``20ms``, or a number of seconds as in Azure."""
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", duration, re.ASCII):
        return float(duration)
    found = _DURATION.fullmatch(duration) if len(duration) <= 40 else None
    if found is None or not any(found.groups()):
        return None
    return sum(float(number) * unit for number, unit in zip(found.groups(), _UNITS, strict=True) if number)
