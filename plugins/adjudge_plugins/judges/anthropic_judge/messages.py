"""The Messages API: one body and one reply.

Definitions: "Messages" (https://docs.anthropic.com/en/api/messages), "Tool use"
(https://docs.anthropic.com/en/docs/agents-and-tools/tool-use), "Handling stop reasons"
(https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons), "Prompt caching" (what
counts as input) and "Rate limits" (the headers).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from adjudge.kit import http_judge
from adjudge.plugin import (
    FinishReason,
    JsonObject,
    JudgeError,
    JudgeReply,
    JudgeRequest,
    RateLimit,
    Usage,
)

_MAX_TOKENS: Final = 8192
"""The API demands a limit. This one is within what every model since Claude 3.5 may write."""

_TOOL: Final = "answer"
"""The tool whose input is the answer. The model is made to call it, so that its schema holds."""

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


def body_of(request: JudgeRequest) -> JsonObject:
    """The body of a call. The API has no seed: votes differ by chance alone.

    Raises:
        JudgeError: a parameter that the API does not have, or an option that the client itself sets.
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


def reply_of(body: JsonObject, headers: Mapping[str, str]) -> JudgeReply:
    """The input of the tool call as JSON; the words where a server answers with words all the same.

    Raises:
        JudgeError: the answer is no message, or a finished one without content.
    """
    blocks = http_judge.objects_of(body.get("content"))
    reason = http_judge.text_of(body.get("stop_reason"))
    finish: FinishReason = _STOP_REASONS.get(reason, "other")
    inputs = [block["input"] for block in blocks if block.get("type") == "tool_use" and "input" in block]
    words = [http_judge.text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    text = json.dumps(inputs[0], ensure_ascii=False) if inputs else "".join(words)
    if finish == "refusal":
        text = "".join(words)
    elif not isinstance(body.get("content"), list):
        raise JudgeError("the answer is no message: it has no list of content", code="malformed")
    elif finish == "stop" and not text:
        raise JudgeError("the answer is finished and holds neither a tool call nor text", code="malformed")
    return JudgeReply(
        text=text,
        finish_reason=finish,
        model_version=http_judge.text_of(body.get("model")) or None,
        usage=_usage(body.get("usage")),
        rate=_rate(headers),
    )


def _refusal(name: str, value: object, reason: str) -> JudgeError:
    return JudgeError(f"judge_model_config sets {name} to {value!r}, and {reason}", code="bad_request")


def _usage(found: object) -> Usage | None:
    counts = http_judge.object_of(found)
    if not counts:
        return None
    # input_tokens are those after the last cache breakpoint; what was read or written there is extra.
    cached = http_judge.count_of(counts.get("cache_read_input_tokens"))
    written = http_judge.count_of(counts.get("cache_creation_input_tokens"))
    whole = http_judge.sum_of(http_judge.count_of(counts.get("input_tokens")), cached, written)
    output = http_judge.count_of(counts.get("output_tokens"))
    return Usage(
        input_tokens=whole,
        output_tokens=output,
        total_tokens=http_judge.sum_of(whole, output),
        cached_tokens=cached,
    )


def _rate(headers: Mapping[str, str]) -> RateLimit | None:
    remaining = headers.get("anthropic-ratelimit-requests-remaining", "")
    known = int(remaining) if remaining.isascii() and remaining.isdigit() and len(remaining) < 13 else None
    reset = _seconds_until(headers.get("anthropic-ratelimit-requests-reset", ""), headers.get("date", ""))
    return None if known is None and reset is None else RateLimit(remaining_requests=known, reset_after=reset)


def _seconds_until(moment: str, server_time: str) -> float | None:
    """From the server's own clock where it shows it; ``moment`` is of RFC 3339."""
    try:
        now = parsedate_to_datetime(server_time)
    except ValueError:
        now = datetime.now(UTC)
    try:
        return max(0.0, (datetime.fromisoformat(moment) - now).total_seconds())
    except (TypeError, ValueError):  # no date, or one without a time zone
        return None
