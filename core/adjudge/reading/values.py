"""Single values of a log, each read as what it should be. What is of another type counts as absent."""

from __future__ import annotations

import json
import math
from datetime import datetime


def text_of(value: object) -> str:
    """A text as it is, nothing as an empty text, and any other JSON value as JSON in one line."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def seconds_of(value: object) -> float | None:
    """A number of seconds; ``None`` where ``value`` is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) else None


def moment_of(value: object) -> float | None:
    """An ISO 8601 time in seconds since the epoch; ``None`` where it names no offset: nobody knows whose clock it was."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.timestamp() if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
