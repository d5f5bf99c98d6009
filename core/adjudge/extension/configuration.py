"""Typed configuration of components, and messages that name the misspelt key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from adjudge.errors import InputError, Problem, did_you_mean, json_path


class ComponentConfig(BaseModel):
    """Base of every component's configuration.

    Unknown keys are refused, whatever ``extra`` a subclass sets, and so are numbers that are not finite:
    a misspelt threshold or an infinite limit would let everything pass.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True, protected_namespaces=()
    )

    hands_on_extras: ClassVar[bool] = False
    """Set, with ``extra="allow"``, where somebody's own code is given the further keys: they are no mistake then."""


class NoConfig(ComponentConfig):
    """The configuration of a component that has no options."""


ConfigT = TypeVar("ConfigT", bound=ComponentConfig)

_Location: TypeAlias = tuple[int | str, ...]


def known_keys(model: type[BaseModel]) -> list[str]:
    """Every key that a configuration class reads, aliases included."""
    keys: list[str] = []
    for name, field in model.model_fields.items():
        keys.append(name)
        if field.alias is not None and field.alias != name:
            keys.append(field.alias)
    return keys


def validated_config(
    model: type[ConfigT],
    options: Mapping[str, Any],
    *,
    file: str | None = None,
    path: str = "$",
    read_elsewhere: Iterable[str] = (),
) -> ConfigT:
    """Build ``model`` from ``options``.

    Args:
        model: What the options are read into.
        options: What the user wrote.
        file: The file that they stand in, for messages.
        path: Where they stand in it.
        read_elsewhere: Further keys that the user may write in the same place; suggested, not read.

    Raises:
        InputError: with every problem: unknown keys at any depth (and what was probably meant), wrong
            types, missing options.
    """
    known = [*known_keys(model), *read_elsewhere]
    takes_any = model.hands_on_extras and model.model_config.get("extra") == "allow"
    unknown = [] if takes_any else [key for key in options if key not in known]
    problems = [_unknown_option(key, known, file=file, path=path) for key in unknown]
    try:
        config = model.model_validate({key: value for key, value in options.items() if key not in unknown})
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            location = detail["loc"]
            if detail["type"] == "extra_forbidden":
                name, place = str(location[-1]), json_path(location[:-1], path)
                nested = _keys_at(model, location[:-1])
                problems.append(_unknown_option(name, nested, file=file, path=place))
                continue
            found = "" if detail["type"] == "missing" else f", found {short_repr(detail['input'])}"
            problems.append(
                Problem(what=f"{detail['msg']}{found}", file=file, path=json_path(location, path))
            )
        raise InputError(problems) from None
    for location, nested in _ignored(model, options):
        problems.append(
            _unknown_option(str(location[-1]), nested, file=file, path=json_path(location[:-1], path))
        )
    if problems:
        raise InputError(problems)
    return config


def _ignored(model: type[BaseModel], options: Mapping[Any, Any]) -> Iterator[tuple[_Location, list[str]]]:
    """Keys below the top that a class of a plugin would leave unread: where they stand, and what is known there."""
    for name, field in model.model_fields.items():
        for key in {name, field.alias or name}:
            if key in options:
                for location, known in _ignored_in(field.annotation, options[key]):
                    yield (key, *location), known


def _ignored_in(annotation: object, value: object) -> Iterator[tuple[_Location, list[str]]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not isinstance(value, Mapping):
            return
        mapping: Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        if annotation.model_config.get("extra", "ignore") == "ignore":
            known = known_keys(annotation)
            yield from (((key,), known) for key in mapping if key not in known)
        yield from _ignored(annotation, mapping)
        return
    parts = get_args(annotation)
    kind = get_origin(annotation)
    inner: list[tuple[Any, object]] = []
    if isinstance(kind, type) and issubclass(kind, Mapping) and isinstance(value, Mapping):
        inner = list(value.items())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        parts = parts[1:]
    elif isinstance(kind, type) and issubclass(kind, Sequence | set | frozenset):
        inner = list(enumerate(value)) if isinstance(value, list | tuple) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    elif (
        len([part for part in parts if _model_in(part)]) == 1
    ):  # of a union of two it is not known which was meant
        for part in parts:
            yield from _ignored_in(part, value)
        return
    for part in parts:
        for key, each in inner:
            yield from (((key, *location), known) for location, known in _ignored_in(part, each))


def _unknown_option(name: str, known: list[str], *, file: str | None, path: str) -> Problem:
    return Problem(
        what=f"unknown option {name!r}.{did_you_mean(name, known)}",
        file=file,
        path=path,
        hint=f"Known options: {', '.join(known) or 'none'}.",
    )


def _keys_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys of the class that describes the object at a location inside ``model``."""
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            nested = _model_in(model.model_fields[part].annotation)
            if nested is None:
                return []
            model = nested
    return known_keys(model)


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def short_repr(value: object, limit: int = 80) -> str:
    """A value as a message shows it, cut to ``limit`` characters."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
