"""Typed access to values of a provider's JSON. A value of a wrong type counts as absent."""

from __future__ import annotations

from typing import cast

from adjudge.model.base import JsonObject


def object_or_empty(value: object) -> JsonObject:
    """``value`` if it is an object, else an empty object."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_or_empty(value: object) -> list[JsonObject]:
    """The objects in a list; empty if ``value`` is not a list."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JsonObject", item) for item in found if isinstance(item, dict)]


def text_or_empty(value: object) -> str:
    """``value`` if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


def count_or_none(value: object) -> int | None:
    """``value`` if it is a non-negative integer, else ``None``."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def sum_or_none(*counts: int | None) -> int | None:
    """The sum of the counts that are not ``None``; ``None`` if all are."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
