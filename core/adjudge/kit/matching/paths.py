"""Paths inside arguments: JSON paths, and dotted globs that match them."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import TypeAlias

Place: TypeAlias = "tuple[Place, str | int] | None"
"""A place in the arguments as a linked list, last key first; ``None`` is the root. It is cheap to extend."""


def keys(place: Place) -> list[str | int]:
    """The keys of a place, from the root."""
    found: list[str | int] = []
    while place is not None:
        place, key = place
        found.append(key)
    found.reverse()
    return found


def json_path(place: Place) -> str:
    """The place as a JSON path: ``$.items[0].price``."""
    return "$" + "".join(
        f".{key}"
        if isinstance(key, str) and key.isidentifier()
        else f"[{json.dumps(key, ensure_ascii=False)}]"
        for key in keys(place)
    )


def dotted(place: Place) -> tuple[str, ...]:
    """The segments of a place. A dot inside a key also separates segments, so that a glob can name such a key."""
    return tuple(".".join(map(str, keys(place))).split(".")) if place is not None else ()


def is_glob(text: str) -> bool:
    """Whether a text contains one of ``*``, ``?`` and ``[``."""
    return any(mark in text for mark in "*?[")


def segments(glob: str) -> tuple[str, ...]:
    """The segments of a dotted glob."""
    return tuple(glob.split("."))


def covers(glob: tuple[str, ...], place: tuple[str, ...]) -> bool:
    """Whether a glob matches all segments of a place; ``**`` matches any number of segments."""
    reached = {0}
    for segment in glob:
        if segment == "**":
            reached = set(range(min(reached), len(place) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(place) and fnmatchcase(place[at], segment)}
        if not reached:
            return False
    return len(place) in reached
