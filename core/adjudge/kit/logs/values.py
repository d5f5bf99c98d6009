"""Single values of a log, each read as what it should be. What is of another type counts as absent."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from adjudge.adk.validation import is_list, is_object
from adjudge.model.base import JsonObject


def text_of(value: object) -> str:
    """A text as it is, nothing as an empty text, and any other JSON value as JSON in one line."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def object_of(value: object) -> JsonObject:
    """An object; an empty one where ``value`` is something else."""
    return value if is_object(value) else {}


def list_of(value: object) -> list[Any]:
    """A list; an empty one where ``value`` is something else."""
    return value if is_list(value) else []


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
