"""Values of a provider's JSON, each read as what it should be. What is of another type counts as absent."""

from __future__ import annotations

from typing import cast

from adjudge.model.base import JsonObject


def object_or_empty(value: object) -> JsonObject:
    """An object; empty where ``value`` is none."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_or_empty(value: object) -> list[JsonObject]:
    """The objects of a list; empty where ``value`` is none."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JsonObject", item) for item in found if isinstance(item, dict)]


def text_or_empty(value: object) -> str:
    """A text; empty where ``value`` is none."""
    return value if isinstance(value, str) else ""


def count_or_none(value: object) -> int | None:
    """A number of tokens or requests; ``None`` where ``value`` is no whole number from 0."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def sum_or_none(*counts: int | None) -> int | None:
    """The sum of the counts that were reported; ``None`` where none was."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
