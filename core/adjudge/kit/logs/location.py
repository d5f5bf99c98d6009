"""Places inside a log: what messages point at, and what a step says of its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Self, cast

from adjudge.model.base import JsonObject
from adjudge.plugin import InputError, Problem


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a log. As text it is a step's ``source_ref``."""

    file: str
    """The name of the file."""
    path: str = "$"
    """The JSON path inside the value that begins in ``line``, or inside the file."""
    line: int | None = None
    """The line, in files with a value a line."""

    def __str__(self) -> str:
        return f"{self.file} {self.path}" if self.line is None else f"{self.file}:{self.line} {self.path}"

    def key(self, name: str) -> Self:
        """The value under a key of the object here."""
        return type(self)(self.file, f"{self.path}.{name}", self.line)

    def at(self, index: int) -> Self:
        """An element of the list here."""
        return type(self)(self.file, f"{self.path}[{index}]", self.line)

    def fail(self, what: str, hint: str | None = None) -> NoReturn:
        """Raise an ``InputError`` about the value here."""
        raise InputError(Problem(what=what, file=self.file, line=self.line, path=self.path, hint=hint))

    def as_object(self, value: object, expected: str = "an object") -> JsonObject:
        """The value, which is here, as an object.

        Raises:
            InputError: it is none; the message says what was ``expected``.
        """
        if not isinstance(value, dict):
            self.fail(f"found {_named(value)}, expected {expected}")
        return cast("JsonObject", value)

    def as_objects(self, value: object, expected: str = "a list of objects") -> list[tuple[JsonObject, Self]]:
        """The value, which is here, as a list of objects, each with its own place; ``None`` is an empty one.

        Raises:
            InputError: it is something else; the message says what was ``expected``.
        """
        if value is None:
            return []
        if not isinstance(value, list):
            self.fail(f"found {_named(value)}, expected {expected}")
        elements = cast("Sequence[object]", value)
        return [(self.at(index).as_object(element), self.at(index)) for index, element in enumerate(elements)]


def _named(value: object) -> str:
    """What JSON calls the value."""
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
