"""Typed access to single values of a log. A value of a wrong type counts as absent."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from adjudge.adk.validation import is_list, is_object
from adjudge.model.base import JsonObject


def text_of(value: object) -> str:
    """A text unchanged, ``None`` as an empty text, and any other value as JSON in one line."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def object_of(value: object) -> JsonObject:
    """``value`` if it is an object, else an empty object."""
    return value if is_object(value) else {}


def list_of(value: object) -> list[Any]:
    """``value`` if it is a list, else an empty list."""
    return value if is_list(value) else []


def seconds_of(value: object) -> float | None:
    """``value`` as seconds; ``None`` if it is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) else None


def moment_of(value: object) -> float | None:
    """Convert an ISO 8601 time to Unix time in seconds; ``None`` if it is invalid, or has no time zone."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.timestamp() if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
