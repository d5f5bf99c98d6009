"""Claude as a judge, through Anthropic's Messages API.

Definitions: "Messages" and "Errors" (https://docs.anthropic.com/en/api/messages, …/errors), "Tool use"
(https://docs.anthropic.com/en/docs/agents-and-tools/tool-use), "Handling stop reasons"
(https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons), "Prompt caching" (what
counts as input) and "Rate limits" (the headers). Environment variables and headers are those of
Anthropic's own client (https://github.com/anthropics/anthropic-sdk-python).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from adjudge.kit import http_judge
from adjudge.model import FinishReason, JsonObject, RateLimit, Usage
from adjudge.plugin import (
    JudgeBackendSpec,
    JudgeError,
    JudgeErrorCode,
    JudgeReply,
    JudgeRequest,
    hookimpl,
)

_VERSION: Final = "2023-06-01"
"""The API version (header ``anthropic-version``), which fixes the format of the responses."""

_CONTEXT: Final = 200_000
_MAX_TOKENS: Final = 8192
"""``max_tokens``, which the API requires. Every model since Claude 3.5 supports this value."""

_TOOL: Final = "answer"
"""The tool whose input is the answer. The model is forced to call it, so that the answer follows the schema."""

_NAMES: Final = {"stop": "stop_sequences"}
_UNKNOWN: Final = ("presence_penalty", "frequency_penalty")

_STOP_REASONS: Final[dict[str, FinishReason]] = {
    "end_turn": "stop",
    "tool_use": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}

_ERROR_TYPES: Final[dict[str, JudgeErrorCode]] = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "billing_error": "quota",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overload",
    "api_error": "server",
    "timeout_error": "timeout",
    "not_found_error": "unknown_model",
    "request_too_large": "context_too_long",
}

_ERROR_MESSAGES: Final[tuple[tuple[re.Pattern[str], JudgeErrorCode], ...]] = (
    (re.compile(r"prompt is too long|exceed context limit|too many total text bytes"), "context_too_long"),
    (re.compile(r"input_schema|json schema"), "schema_rejected"),
    (re.compile(r"credit balance is too low|usage limits"), "quota"),
)
"""Patterns of messages: ``invalid_request_error`` covers many errors, which only the message tells apart."""


class AnthropicJudge(http_judge.HttpJudge):
    """Makes one call of the Messages API per request, at ``ANTHROPIC_BASE_URL``."""

    address_variable = "ANTHROPIC_BASE_URL"
    default_address = "https://api.anthropic.com"
    path = "/v1/messages"
    key_variables = ("ANTHROPIC_API_KEY",)

    def context(self, model: str) -> int | None:  # noqa: ARG002
        """The context window in tokens, which is the same for every model since Claude 3."""
        return _CONTEXT

    def headers(self) -> Mapping[str, str]:
        """The key and the API version."""
        return {"x-api-key": self.key, "anthropic-version": _VERSION}

    def body(self, request: JudgeRequest) -> JsonObject:
        """Build the body of a call. The API has no seed parameter, so votes differ only by sampling.

        Raises:
            JudgeError: a parameter that the API does not have, or an option that the client sets itself.
        """
        parameters = {_NAMES.get(name, name): value for name, value in request.parameters.items()}
        for name in _UNKNOWN:
            if name in parameters:
                raise _refusal(name, parameters[name], "the Messages API has no such parameter")
        if (temperature := parameters.get("temperature", 0)) > 1:
            raise _refusal("temperature", temperature, "the Messages API takes 0 to 1")
        body: JsonObject = {
            "model": request.model,
            "max_tokens": _MAX_TOKENS,
            **parameters,
            "messages": [
                {"role": message.role, "content": message.text}
                for message in request.messages
                if message.role != "system"
            ],
        }
        if system := [message.text for message in request.messages if message.role == "system"]:
            body["system"] = "\n\n".join(system)
        if request.schema_ is not None:
            body["tools"] = [
                {"name": _TOOL, "description": "Give the whole answer.", "input_schema": request.schema_}
            ]
            body["tool_choice"] = {"type": "tool", "name": _TOOL, "disable_parallel_tool_use": True}
        return http_judge.with_options(body, request.provider_options)

    def reply(self, answer: http_judge.HttpAnswer) -> JudgeReply:
        """Return the input of the tool call as JSON; the text if the server answers with text instead.

        Raises:
            JudgeError: the response is not a message, or is finished without content.
        """
        body = answer.body
        blocks = http_judge.objects_or_empty(body.get("content"))
        reason = http_judge.text_or_empty(body.get("stop_reason"))
        finish: FinishReason = _STOP_REASONS.get(reason, "other")
        inputs = [block["input"] for block in blocks if block.get("type") == "tool_use" and "input" in block]
        words = [
            http_judge.text_or_empty(block.get("text")) for block in blocks if block.get("type") == "text"
        ]
        text = json.dumps(inputs[0], ensure_ascii=False) if inputs else "".join(words)
        if finish == "refusal":
            text = "".join(words)
        elif not isinstance(body.get("content"), list):
            raise JudgeError("the answer is not a message: it has no list of content", code="malformed")
        elif finish == "stop" and not text:
            raise JudgeError(
                "the answer is finished and contains neither a tool call nor text", code="malformed"
            )
        return JudgeReply(
            text=text,
            finish_reason=finish,
            model_version=http_judge.text_or_empty(body.get("model")) or None,
            usage=_usage(body.get("usage")),
            rate=_rate(answer.headers),
        )

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:  # noqa: ARG002 - the type says it better
        """The error code for the type of error in the body; ``None`` if the body has none."""
        error = http_judge.object_or_empty(http_judge.object_or_empty(body).get("error"))
        kind = http_judge.text_or_empty(error.get("type"))
        if kind != "invalid_request_error":
            return _ERROR_TYPES.get(kind)
        message = http_judge.text_or_empty(error.get("message")).lower()
        for pattern, code in _ERROR_MESSAGES:
            if pattern.search(message):
                return code
        return "bad_request"


def _refusal(name: str, value: object, reason: str) -> JudgeError:
    return JudgeError(f"judge_model_config sets {name} to {value!r}, and {reason}", code="bad_request")


def _usage(found: object) -> Usage | None:
    counts = http_judge.object_or_empty(found)
    if not counts:
        return None
    # input_tokens counts only what follows the last cache breakpoint; cached tokens are reported separately.
    cached = http_judge.count_or_none(counts.get("cache_read_input_tokens"))
    written = http_judge.count_or_none(counts.get("cache_creation_input_tokens"))
    whole = http_judge.sum_or_none(http_judge.count_or_none(counts.get("input_tokens")), cached, written)
    output = http_judge.count_or_none(counts.get("output_tokens"))
    return Usage(
        input_tokens=whole,
        output_tokens=output,
        total_tokens=http_judge.sum_or_none(whole, output),
        cached_tokens=cached,
    )


def _rate(headers: Mapping[str, str]) -> RateLimit | None:
    remaining = headers.get("anthropic-ratelimit-requests-remaining", "")
    known = int(remaining) if remaining.isascii() and remaining.isdigit() and len(remaining) < 13 else None
    reset = _seconds_until(headers.get("anthropic-ratelimit-requests-reset", ""), headers.get("date", ""))
    return None if known is None and reset is None else RateLimit(remaining_requests=known, reset_after=reset)


def _seconds_until(moment: str, server_time: str) -> float | None:
    """The seconds until ``moment`` (RFC 3339), measured from ``server_time`` if the server sent it."""
    from email.utils import (
        parsedate_to_datetime,
    )  # imported here because listings of plugins import this module

    try:
        now = parsedate_to_datetime(server_time)
    except ValueError:
        now = datetime.now(UTC)
    try:
        return max(0.0, (datetime.fromisoformat(moment) - now).total_seconds())
    except (TypeError, ValueError):  # not a date, or one without a time zone
        return None


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``anthropic`` backend."""
    return [
        JudgeBackendSpec(
            name="anthropic",
            summary="Claude, by Anthropic's Messages API",
            factory=AnthropicJudge,
            models=("claude-*",),
            environment=("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
            example="anthropic/claude-haiku-4-5",
            prices="anthropic",
        )
    ]
