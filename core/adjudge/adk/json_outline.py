"""What the beginning of a file shows, so that readers can tell formats apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from adjudge.adk.json_input import JsonStream
from adjudge.errors import InputError

_SHOWN: Final = 8


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

    def __str__(self) -> str:
        if self.begins_with not in ("{", "["):
            return "neither a JSON object nor a list"
        if self.is_empty:
            return "an empty object" if self.begins_with == "{" else "an empty list"
        named = ", ".join(self.keys[:_SHOWN]) + (", ..." if len(self.keys) > _SHOWN else "")
        found = f"an object with the keys {named}" if self.keys else "no object that has keys"
        return found if self.begins_with == "{" else f"a list, and in it {found}"


def outline_of(stream: JsonStream) -> Outline:
    """The outline of a text from its beginning, which may end anywhere or be anything."""
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
