"""Validates objects of files with pydantic: reports all errors of a file at once, each with its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, TypeGuard, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, PydanticCustomError

from adjudge.errors import InputError, Problem, did_you_mean, json_path, suggestion
from adjudge.model.base import JsonObject
from adjudge.model.validation import class_at, known_keys, unknown_keys

_SHOWN: Final = 20
_NEAR: Final = 0.85
_EXPECTED: Final = {
    "string_type": "a string",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
}
"""The expected type for messages, by pydantic's error type."""


class FileObject(BaseModel):
    """Base class of objects in files: strict types, keys in snake_case or camelCase; null means absent."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
        loc_by_alias=False,
        defer_build=True,
        protected_namespaces=(),
    )

    keeps: ClassVar[bool] = True
    """Whether allowed unknown keys are written again when the eval set is saved."""

    @classmethod
    def title(cls) -> str:
        """The name of the class in messages."""
        return str(cls.model_config.get("title", cls.__name__))

    @classmethod
    def meant_by(cls, key: str) -> str | None:  # noqa: ARG003 - for those who know more
        """The field that an unknown key probably means; ``None`` if there is none. Subclasses override this."""
        return None

    def given(self) -> JsonObject:
        """The values of its fields, without missing ones."""
        return {name: value for name, value in self.__dict__.items() if value is not None}


FileObjectT = TypeVar("FileObjectT", bound=FileObject)


def value_mistake(what: str, *, hint: str = "") -> PydanticCustomError:
    """For validators: an error in the value at this place."""
    return PydanticCustomError("here", "{what}", {"what": what, "hint": hint})


def field_mistake(what: str, *, hint: str = "") -> PydanticCustomError:
    """For validators of a field: an error that is reported with the place of the object."""
    return PydanticCustomError("field", "{what}", {"what": what, "hint": hint})


class Findings:
    """Collects problems and warnings of one file."""

    def __init__(self, file: str | None = None, *, of_a_log: bool = False) -> None:
        """Collect findings about ``file``; if ``of_a_log``, unknown keys are allowed: a log may have a newer format."""
        self.file = file
        self.case: str | None = None
        """The id of the case that is being read."""
        self.count = 0
        self._of_a_log = of_a_log
        self._problems: list[Problem] = []
        self._warnings: dict[str, tuple[str, int]] = {}

    def read(self, model: type[FileObjectT], data: object, path: str) -> FileObjectT | None:
        """Validate an object; if it is invalid, note the problems and return ``None``."""
        try:
            return model.model_validate(data, extra="allow" if self._of_a_log else None)
        except ValidationError as error:
            self._note_unknown(model, data, path)
            for mistake in error.errors(include_url=False):
                self._note(model, mistake, path)
            return None

    def sound(self, found: FileObjectT | None) -> FileObjectT:
        """Return the result of ``read`` if there were no problems.

        Raises:
            InputError: there were problems.
        """
        self.raise_problems()
        if found is None:
            raise ValueError("nothing was read, and nothing noted")
        return found

    def check_keys(self, model: type[FileObject], keys: Iterable[str], path: str) -> None:
        """Note each of ``keys`` that is not a field of ``model``."""
        self._note_unknown(model, dict.fromkeys(keys), path)

    def further(self, found: FileObject, path: str) -> JsonObject | None:
        """The unknown keys of an object with their values; each is noted."""
        extra = found.model_extra or None
        for key in extra or ():
            self._note_key(key, type(found), path)
        return extra

    def problem(self, what: str, path: str | None = None, *, hint: str | None = None) -> None:
        """Note a problem. After the first twenty, problems are only counted."""
        self.count += 1
        if self.count <= _SHOWN:
            self._problems.append(Problem(what=what, file=self.file, case=self.case, path=path, hint=hint))

    def warn(self, what: str, path: str) -> None:
        """Add a warning; equal texts count once."""
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
        """Raise the problems found so far.

        Args:
            stopped: If reading ended early, the reason.

        Raises:
            InputError: there are problems.
        """
        if not self.count:
            return
        more = self.count - len(self._problems)
        problems = list(self._problems)
        if more:
            problems.append(
                Problem(what=f"and {more} more problems. {stopped or ''}".rstrip(), file=self.file)
            )
        raise InputError(
            problems,
            warnings=[f"{self.file}, {warning}" if self.file else warning for warning in self.warnings],
        )

    def _note_unknown(self, model: type[FileObject], data: object, path: str) -> None:
        for location, holder in unknown_keys(model, data):
            if issubclass(holder, FileObject):
                self._note_key(str(location[-1]), holder, json_path(location[:-1], path))

    def _note_key(self, key: str, holder: type[FileObject], path: str) -> None:
        keys, title = known_keys(holder), holder.title()
        if (meant := holder.meant_by(key)) is not None:
            self.problem(
                f"unknown key {key!r} in {title}: what it expects would not be compared.",
                path,
                hint=f"Name it {meant!r}, in that key's form.",
            )
        if holder.model_config.get("extra") != "allow":
            if not self._of_a_log:
                what = f"unknown key {key!r} in {title}.{did_you_mean(key, keys)}"
                self.problem(what, path, hint=f"It has: {', '.join(holder.model_fields)}.")
        elif key in keys:
            self.problem(f"{key!r} is given twice, in two spellings.", path)
        elif near := suggestion(key, keys, likeness=_NEAR):
            self.problem(f"unknown key {key!r} in {title}. Did you mean {near!r}?", path)
        elif holder.keeps:
            self.warn(f"unknown key {key!r} in {title} is kept; nothing reads it", path)
        else:
            self.warn(f"unknown key {key!r} in {title} is not read, and migrating drops it", path)

    def _note(self, model: type[FileObject], mistake: ErrorDetails, path: str) -> None:
        location, value = mistake["loc"], mistake["input"]
        here, around = json_path(location, path), json_path(location[:-1], path)
        name = location[-1] if location else ""
        holder = class_at(model, location[:-1]) if location else None
        title = holder.title() if holder is not None and issubclass(holder, FileObject) else ""
        expected = _EXPECTED.get(mistake["type"])
        if mistake["type"] == "extra_forbidden":
            if holder is not None and name in holder.model_fields:
                self.problem(f"{name!r} is given twice, in two spellings.", around)
        elif mistake["type"] == "missing" or (
            title and value is None and (expected or mistake["type"] == "model_type")
        ):
            self.problem(f"{title} has no {name!r}.", around)
        elif mistake["type"] == "model_type":
            wanted = class_at(model, location)
            title = wanted.title() if wanted is not None and issubclass(wanted, FileObject) else ""
            self.problem(f"{title} must be an object, found {kind(value)}.", here)
        elif expected is None:
            told = mistake["msg"]
            hint = mistake.get("ctx", {}).get("hint") or None
            self.problem(told, around if mistake["type"] == "field" else here, hint=hint)
        elif not title:
            self.problem(f"must be {expected}, found {kind(value)}.", here)
        elif isinstance(value, int) and mistake["type"] == "float_type" and not isinstance(value, bool):
            self.problem(f"{name!r} is too large a number.", around)
        else:
            self.problem(f"{name!r} must be {expected}, found {kind(value)}.", around)


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def kind(value: object) -> str:
    """The type of a JSON value, as a text for messages."""
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
