"""Ollama's native chat: one body, one reply, and what its failures mean.

Definitions: "Generate a chat message" (https://docs.ollama.com/api/chat), "Structured outputs", the
options of a Modelfile, and ``api/types.go`` of https://github.com/ollama/ollama for ``truncate`` and ``shift``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.kit import http_judge
from adjudge.plugin import (
    FinishReason,
    JsonObject,
    JudgeError,
    JudgeErrorCode,
    JudgeReply,
    JudgeRequest,
    Usage,
)

_NAMES: Final = {"max_tokens": "num_predict"}

_BESIDE_OPTIONS: Final = frozenset(
    {
        *("model", "messages", "stream", "format", "options", "truncate", "shift"),
        *("keep_alive", "think", "tools", "logprobs", "top_logprobs"),
    }
)
"""Fields of the request itself. Everything else (``num_ctx``, ``repeat_penalty``, …) is one of its options."""

_FAILURES: Final[tuple[tuple[re.Pattern[str], JudgeErrorCode], ...]] = (
    (re.compile(r"context (?:size|length|window)|exceed_context_size"), "context_too_long"),
    (re.compile(r"invalid format|json schema|\bgrammar\b"), "schema_rejected"),
    # As with a model that is not there, no further call can succeed.
    (re.compile(r"requires more system memory|does not support chat"), "unknown_model"),
)


def body_of(request: JudgeRequest) -> JsonObject:
    """The body of a call.

    A server left alone cuts off the beginning of what does not fit into the context, and a verdict on the
    rest would look like any other. ``truncate`` and ``shift`` make that an error.

    Raises:
        JudgeError: an option that the client itself sets.
    """
    options: JsonObject = {_NAMES.get(name, name): value for name, value in request.parameters.items()}
    if request.seed is not None:
        options["seed"] = request.seed
    further = request.provider_options
    beside = {name: value for name, value in further.items() if name in _BESIDE_OPTIONS}
    inside = {name: value for name, value in further.items() if name not in _BESIDE_OPTIONS}
    body: JsonObject = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        "stream": False,
        "truncate": False,
        "shift": False,
        "options": http_judge.with_options(options, inside),
    }
    if request.schema_ is not None:
        body["format"] = request.schema_
    return http_judge.with_options(body, beside)


def reply_of(body: JsonObject) -> JudgeReply:
    """The message without the model's thinking.

    Raises:
        JudgeError: the answer holds no message, is not finished, or finished without a word.
    """
    message = body.get("message")
    text = http_judge.text_of(http_judge.object_of(message).get("content"))
    reason = http_judge.text_of(body.get("done_reason"))
    # Old servers give no reason.
    finish: FinishReason = "stop" if reason in ("stop", "") else "length" if reason == "length" else "other"
    if not isinstance(message, dict) or body.get("done") is False:
        raise JudgeError("the answer holds no finished message", code="malformed")
    if finish == "stop" and not text:
        raise JudgeError("the answer is finished and holds no text", code="malformed")
    read = http_judge.count_of(body.get("prompt_eval_count"))
    written = http_judge.count_of(body.get("eval_count"))
    total = http_judge.sum_of(read, written)
    return JudgeReply(
        text=text,
        finish_reason=finish,
        model_version=http_judge.text_of(body.get("model")) or None,
        usage=None if total is None else Usage(input_tokens=read, output_tokens=written, total_tokens=total),
    )


def failure(status: int, body: Any) -> JudgeErrorCode | None:
    """The class of a failure; ``None`` where only the status tells."""
    message = http_judge.text_of(http_judge.object_of(body).get("error")).lower()
    if status == 404 and "not found" in message:
        return "unknown_model"
    return next((code for pattern, code in _FAILURES if pattern.search(message)), None)
