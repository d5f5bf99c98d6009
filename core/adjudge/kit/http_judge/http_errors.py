"""HTTP statuses and headers in the words of ``JudgeError``."""

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
    """The class of a failure by its HTTP status alone; a backend that knows its provider's codes says it better."""
    if 300 <= status < 400:
        return "malformed"  # whoever redirects is not the provider: a proxy, a login page, a server in repair
    if status in _STATUSES:
        return _STATUSES[status]
    return "server" if status >= 500 else "bad_request"


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asks to wait; ``None`` where it says nothing that can be read.

    ``retry-after-ms`` (OpenAI, Azure) is exact; ``retry-after`` is a number of seconds or a date
    (RFC 9110, section 10.2.3). A date is compared with the server's own clock where it sends it.
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
    from email.utils import parsedate_to_datetime  # not above: listings of plugins import this module

    found = parsedate_to_datetime(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
