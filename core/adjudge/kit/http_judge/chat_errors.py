"""Interprets the error bodies of Chat Completions.

Codes and types: OpenAI's guide "Error codes" (https://platform.openai.com/docs/guides/error-codes),
Azure's "Content filtering" (https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter),
OpenRouter's "Errors" (https://openrouter.ai/docs/api-reference/errors, for ``flagged_input``), and the servers of vLLM,
llama.cpp and LM Studio, which have messages instead of OpenAI's codes.
"""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.errors import JudgeErrorCode
from adjudge.kit.http_judge.http_errors import error_code_of_status
from adjudge.kit.http_judge.json_values import object_or_empty, text_or_empty
from adjudge.model.base import JsonObject

_CODES: Final[dict[str, JudgeErrorCode]] = {
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "billing_not_active": "quota",
    "rate_limit_exceeded": "rate_limit",
    "model_not_found": "unknown_model",
    "DeploymentNotFound": "unknown_model",
    "context_length_exceeded": "context_too_long",
    "string_above_max_length": "context_too_long",
    "exceed_context_size_error": "context_too_long",
}
"""Our error codes by the value of ``code`` or ``type`` in the body."""

_BLOCKED: Final = frozenset(
    {"content_filter", "content_policy_violation", "invalid_prompt", "ResponsibleAIPolicyViolation"}
)
"""Codes of blocked questions: Azure's filter, gateways in front of it, and OpenAI's check of prompts."""

_REFUSED: Final = frozenset({400, 413, 422, 500})
"""Statuses under which servers without codes report what is wrong with a request."""

_TOO_LONG: Final = re.compile(
    r"maximum context length|context (?:size|length|window)|prompt is too long|^request too large",
    re.IGNORECASE,
)
"""Messages about requests that are too long. The last one is OpenAI's message with status 429 for a single request
that exceeds the tokens per minute: waiting does not help."""

_SCHEMA: Final = re.compile(
    r"response_format|json[ _]schema|invalid schema|guided_json|structured[ _]outputs?|\bgrammar\b",
    re.IGNORECASE,
)


def chat_error_code(status: int, body: Any) -> JudgeErrorCode | None:
    """The error code of a failure from its body; ``None`` to derive it from the HTTP status."""
    error = error_of(body)
    message = text_or_empty(error.get("message"))
    if (status in _REFUSED or status == 429) and _TOO_LONG.search(message):
        return "context_too_long"
    if text_or_empty(error.get("param")).startswith("response_format"):
        return "schema_rejected"
    for name in ("code", "type"):
        if found := _CODES.get(text_or_empty(error.get(name))):
            return found
    if status in _REFUSED and _SCHEMA.search(message):
        return "schema_rejected"
    return None


def is_blocked(status: int, body: Any) -> bool:
    """Whether the provider blocked the question. This counts as an answer, whatever the HTTP status is."""
    error = error_of(body)
    codes = {text_or_empty(part.get("code")) for part in (error, object_or_empty(error.get("innererror")))}
    flagged = "flagged_input" in object_or_empty(error.get("metadata"))
    return status < 500 and (flagged or not _BLOCKED.isdisjoint(codes))


def embedded_error_code(error: JsonObject) -> JudgeErrorCode:
    """The error code of an error with status 200, which gateways send; its ``code`` may be an HTTP status."""
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return chat_error_code(status, {"error": error}) or error_code_of_status(status)


def error_of(body: Any) -> JsonObject:
    """The error object in a body; empty if there is none.

    OpenAI puts it in ``error``; LM Studio has a text there; vLLM up to 0.9 has the error object itself as the body.
    """
    found = object_or_empty(body)
    error = found.get("error")
    if isinstance(error, str):
        return {"message": error}
    return object_or_empty(error) or (found if found.get("object") == "error" else {})
