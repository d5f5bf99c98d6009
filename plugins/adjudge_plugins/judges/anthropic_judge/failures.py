"""What Anthropic's errors mean.

Types: "Errors" (https://docs.anthropic.com/en/api/errors). ``invalid_request_error`` stands for many
things, which only its message tells apart.
"""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.kit import http_judge
from adjudge.plugin import JudgeErrorCode

_TYPES: Final[dict[str, JudgeErrorCode]] = {
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

_MESSAGES: Final[tuple[tuple[re.Pattern[str], JudgeErrorCode], ...]] = (
    (re.compile(r"prompt is too long|exceed context limit|too many total text bytes"), "context_too_long"),
    (re.compile(r"input_schema|json schema"), "schema_rejected"),
    (re.compile(r"credit balance is too low|usage limits"), "quota"),
)


def failure(status: int, body: Any) -> JudgeErrorCode | None:  # noqa: ARG001 - the type says it better
    """The class of a failure by its type; ``None`` where the body names none."""
    error = http_judge.object_of(http_judge.object_of(body).get("error"))
    kind = http_judge.text_of(error.get("type"))
    if kind != "invalid_request_error":
        return _TYPES.get(kind)
    message = http_judge.text_of(error.get("message")).lower()
    return next((code for pattern, code in _MESSAGES if pattern.search(message)), None) or "bad_request"
