"""The keys and values at the beginning of a file, from which readers recognise formats."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field

from adjudge.adk.json_input import JsonStream
from adjudge.errors import InputError
from adjudge.kit.logs.mending import MendingJsonStream


@dataclass(slots=True)
class Outline:
    """The first object of a file, or of the list in the file, as far as the head contains it."""

    begins_with: str = ""
    """The first non-blank character; empty if there is none, or the head is not text."""
    is_empty: bool = False
    """Whether the file is an empty object or list."""
    keys: list[str] = field(default_factory=list[str])
    """The keys of the object; the head may end before the last one's value."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """The text values of the object, by key."""
    lists: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For each list value that begins with an object: the keys of that object, by the key of the list."""


def outline(head: bytes) -> Outline:
    """Parse the beginning of a file, which may end anywhere and need not be JSON."""
    stream = MendingJsonStream(io.BytesIO(head), "head", Counter())
    found = Outline()
    try:
        found.begins_with = stream.peek()
        if found.begins_with == "[":
            found.is_empty = next(stream.elements(), None) is None
        if stream.peek() == "{":
            _walk(stream, found)
            found.is_empty = found.begins_with == "{" and not found.keys
    except InputError:  # the JSON is invalid or longer than the head: use what was read before that
        pass
    return found


def _walk(stream: JsonStream, found: Outline) -> None:
    for key in stream.members():
        found.keys.append(key)
        if stream.peek() == "[":
            _walk_list(stream, key, found)
            continue
        value = stream.value()
        if isinstance(value, str):
            found.texts[key] = value


def _walk_list(stream: JsonStream, key: str, found: Outline) -> None:
    for index in stream.elements():
        if index or stream.peek() != "{":
            stream.value()
            continue
        keys = found.lists.setdefault(key, [])
        for inner in stream.members():
            keys.append(inner)
            stream.value()
