"""What the beginning of a file shows, so that readers can tell formats apart."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field

from adjudge.adk.json_input import JsonStream
from adjudge.errors import InputError
from adjudge.kit.logs.mending import MendingJsonStream


@dataclass(slots=True)
class Outline:
    """The first object of a file, or of the list that the file is, as far as the head goes."""

    begins_with: str = ""
    """The first character that is not white space; empty where there is none or the head is no text."""
    is_empty: bool = False
    """Whether it is an object or a list with nothing in it."""
    keys: list[str] = field(default_factory=list[str])
    """Its keys, the last one perhaps without its value."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """Its values that are texts."""
    lists: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For each of its lists that begins with an object, the keys of that object."""


def outline(head: bytes) -> Outline:
    """The outline of a log from its beginning, which may end anywhere or be anything."""
    stream = MendingJsonStream(io.BytesIO(head), "head", Counter())
    found = Outline()
    try:
        found.begins_with = stream.peek()
        if found.begins_with == "[":
            found.is_empty = next(stream.elements(), None) is None
        if stream.peek() == "{":
            _walk(stream, found)
            found.is_empty = found.begins_with == "{" and not found.keys
    except InputError:  # broken, or longer than the head: what was seen until there counts
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
