"""What a reader finds wrong in one document: it goes on reading and reports all at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeGuard

from adjudge.adk.schema import Schema
from adjudge.errors import InputError, Problem, did_you_mean, suggestion
from adjudge.model.base import JsonObject

_SHOWN: Final = 20
_NEAR: Final = 0.85
_ITEMS: Final[list[Any]] = []


class Findings:
    """Collects problems and warnings; every reading method answers something usable in any case."""

    def __init__(self, file: str | None = None, *, tolerates: Iterable[Schema] = ()) -> None:
        self.file = file
        self._tolerates = frozenset(tolerates)
        # Their unknown keys stay among the fields: a log may be of a newer version than the schema.
        self.case: str | None = None
        """The case that is being read."""
        self.count = 0
        self._problems: list[Problem] = []
        self._warnings: dict[str, tuple[str, int]] = {}

    def problem(self, what: str, path: str | None = None, *, hint: str | None = None) -> None:
        """Note a problem; beyond twenty they are only counted."""
        self.count += 1
        if self.count <= _SHOWN:
            self._problems.append(Problem(what=what, file=self.file, case=self.case, path=path, hint=hint))

    def warn(self, what: str, path: str) -> None:
        """Note something that was kept although nothing reads it; the same words count once."""
        first, times = self._warnings.get(what, (path, 0))
        self._warnings[what] = first, times + 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line per kind of warning, with the place of its first occurrence."""
        return tuple(
            f"{path}: {what}" + (f" (and {times - 1} more)" if times > 1 else "")
            for what, (path, times) in self._warnings.items()
        )

    def raise_problems(self, stopped: str | None = None) -> None:
        """Raise what was found.

        Args:
            stopped: Why reading ended early, where it did.

        Raises:
            InputError: something was found.
        """
        if not self.count:
            return
        more = self.count - len(self._problems)
        self.case = None
        problems = list(self._problems)
        if more:
            problems.append(
                Problem(what=f"and {more} more problems. {stopped or ''}".rstrip(), file=self.file)
            )
        raise InputError(
            problems,
            warnings=[f"{self.file}, {warning}" if self.file else warning for warning in self.warnings],
        )

    def fields(self, data: object, schema: Schema, path: str) -> JsonObject:
        """The fields of a closed object that are not null, under their snake_case names."""
        found, extra = self.open_fields(data, schema, path)
        if extra and schema in self._tolerates:
            return {**found, **extra}
        if extra:
            for key in extra:
                self.problem(
                    f"unknown key {key!r} in {schema.name}.{did_you_mean(key, schema.keys)}",
                    path,
                    hint=f"It has: {', '.join(schema.fields)}.",
                )
        return found

    def open_fields(self, data: object, schema: Schema, path: str) -> tuple[JsonObject, JsonObject | None]:
        """The fields of an object that are not null, and its further keys with all their values."""
        found: JsonObject = {}
        extra: JsonObject | None = None
        if not is_object(data):
            self.problem(f"{schema.name} must be an object, found {kind(data)}.", path)
            return found, None
        known = schema.keys
        for key, value in data.items():
            if value is not None and key in known:
                name = known[key]
                if name in found:
                    self.problem(f"{name!r} is given twice, in two spellings.", path)
                found[name] = value
            elif key not in known:
                extra = extra or {}
                extra[key] = value
                if schema.open:
                    self._further_key(key, schema, path)
        return found, extra

    def _further_key(self, key: str, schema: Schema, path: str) -> None:
        if near := suggestion(key, schema.keys, likeness=_NEAR):
            self.problem(f"unknown key {key!r} in {schema.name}. Did you mean {near!r}?", path)
        elif schema.keeps:
            self.warn(f"unknown key {key!r} in {schema.name} is kept; nothing reads it", path)
        else:
            self.warn(f"unknown key {key!r} in {schema.name} is not read, and migrating drops it", path)

    def required(self, found: JsonObject, schema: Schema, path: str, *names: str) -> None:
        """Note every one of ``names`` that is absent."""
        for name in names:
            if name not in found:
                self.problem(f"{schema.name} has no {name!r}.", path)

    def string(self, found: JsonObject, name: str, path: str, default: Any = None) -> Any:
        """A string; ``default`` where it is absent."""
        value = found.get(name, default)
        if isinstance(value, str) or value is default:
            return value
        self.problem(f"{name!r} must be a string, found {kind(value)}.", path)
        return default if default is not None else ""

    def number(self, found: JsonObject, name: str, path: str, default: Any = None) -> Any:
        """A finite number, as a float."""
        value = found.get(name, default)
        if value is default or isinstance(value, float):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                self.problem(f"{name!r} is too large a number.", path)
                return default
        self.problem(f"{name!r} must be a number, found {kind(value)}.", path)
        return default

    def items(self, found: JsonObject, name: str, path: str) -> list[Any]:
        """A list; empty where it is absent."""
        value = found.get(name, _ITEMS)
        if is_list(value):
            return value
        self.problem(f"{name!r} must be a list, found {kind(value)}.", path)
        return _ITEMS

    def object(self, found: JsonObject, name: str, path: str) -> JsonObject | None:
        """An object of free form; ``None`` where it is absent."""
        value = found.get(name)
        if value is None or is_object(value):
            return value
        self.problem(f"{name!r} must be an object, found {kind(value)}.", path)
        return None


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def kind(value: object) -> str:
    """What a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {str(value)[:20]}" if not _is_huge(value) else "a very large number"
        case str():
            return f"the text {value[:30]!r}"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def _is_huge(value: float) -> bool:
    return isinstance(value, int) and value.bit_length() > 1000


def listed(names: list[str]) -> str:
    """Name the first ten, and count the rest."""
    shown = ", ".join(names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown
