"""Converts HTTP statuses and headers to ``JudgeError``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from adjudge.errors import JudgeErrorCode

_STATUSES: Final[dict[int, JudgeErrorCode]] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "unknown_model",
    408: "timeout",
    413: "context_too_long",
    425: "overload",
    429: "rate_limit",
    503: "overload",
    529: "overload",
}


def error_code_of_status(status: int) -> JudgeErrorCode:
    """The error code of a failure from its HTTP status; backends that know their provider's error codes override it."""
    if 300 <= status < 400:
        return "malformed"  # a redirect does not come from the provider, but from a proxy, a login page or a server in maintenance
    if status in _STATUSES:
        return _STATUSES[status]
    return "server" if status >= 500 else "bad_request"


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """The waiting time in seconds that the provider requests; ``None`` if there is none or it cannot be parsed.

    ``retry-after-ms`` (OpenAI, Azure) is exact; ``retry-after`` is a number of seconds or a date (RFC 9110, section
    10.2.3). A date is compared with the ``Date`` header if the server sends it.
    """
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        until = _date(headers["retry-after"])
        now = _date(headers["date"]) if "date" in headers else datetime.now(UTC)
    except (KeyError, ValueError):
        return None
    return max(0.0, (until - now).total_seconds())


def _date(text: str) -> datetime:
    from email.utils import parsedate_to_datetime  # not at the top: listings of plugins import this module

    found = parsedate_to_datetime(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
