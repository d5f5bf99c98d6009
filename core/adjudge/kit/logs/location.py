"""Places inside a log, for messages and for the source of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn, cast

from adjudge.adk.validation import is_list
from adjudge.model.base import JsonObject
from adjudge.plugin import InputError, Problem


class Place(NamedTuple):  # created several times per step, and four times as fast as a frozen dataclass
    """The place of a value in a log. Its text is a step's ``source_ref``."""

    file: str
    """The name of the file."""
    path: str = "$"
    """The JSON path in the file, or in the value of ``line``."""
    line: int | None = None
    """The line, in files with one value per line (JSON Lines)."""

    def __str__(self) -> str:
        return f"{self.file} {self.path}" if self.line is None else f"{self.file}:{self.line} {self.path}"

    def key(self, name: str) -> Place:
        """The place of the value under a key of the object here."""
        return Place(self.file, f"{self.path}.{name}", self.line)

    def at(self, index: int) -> Place:
        """The place of an element of the list here."""
        return Place(self.file, f"{self.path}[{index}]", self.line)

    def fail(self, what: str, hint: str | None = None) -> NoReturn:
        """Raise an ``InputError`` about the value here."""
        raise InputError(Problem(what=what, file=self.file, line=self.line, path=self.path, hint=hint))

    def as_object(self, value: object, expected: str = "an object") -> JsonObject:
        """Check that ``value``, which is at this place, is an object.

        Raises:
            InputError: it is not; the message contains ``expected``.
        """
        if not isinstance(value, dict):
            self.fail(f"found {_named(value)}, expected {expected}")
        return cast("JsonObject", value)

    def as_objects(
        self, value: object, expected: str = "a list of objects"
    ) -> list[tuple[JsonObject, Place]]:
        """Check that ``value``, which is at this place, is a list of objects; returns them with their places.

        ``None`` counts as an empty list.

        Raises:
            InputError: it is something else; the message contains ``expected``.
        """
        if value is None:
            return []
        if not isinstance(value, list):
            self.fail(f"found {_named(value)}, expected {expected}")
        elements = cast("Sequence[object]", value)
        places = map(self.at, range(len(elements)))
        return [(place.as_object(element), place) for element, place in zip(elements, places, strict=True)]

    def objects(
        self, data: JsonObject, key: str, expected: str = "a list of objects"
    ) -> Sequence[JsonObject]:
        """The list of objects under ``key`` of the object ``data``, which is at this place; empty if there is none.

        Several times faster than ``as_objects``, because it makes places only for errors.

        Raises:
            InputError: it is something else; the message contains ``expected``.
        """
        value = data.get(key)
        if value is None:
            return ()
        if is_list(value) and _DICT.issuperset(map(type, value)):
            return value
        return [found for found, _ in self.key(key).as_objects(value, expected)]


_DICT: Final = frozenset({dict})


def _named(value: object) -> str:
    """The JSON type of a value, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case _:
            return "an object"
