"""Typed configuration of components, and messages that name the misspelt key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

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
_Unknown: TypeAlias = tuple[_Location, list[str], bool]
"""Where a key stands that is no field, the fields there, and whether their class refuses further keys."""


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
    takes_any = model.hands_on_extras and model.model_config.get("extra") == "allow"
    known = known_keys(model)
    config: ConfigT | None = None
    mistakes: list[ErrorDetails] = []
    try:
        config = model.model_validate({key: options[key] for key in options if takes_any or key in known})
    except ValidationError as error:
        mistakes = error.errors(include_url=False)
    unknown: dict[_Location, list[str]] = {}
    if not takes_any:
        unknown = {(key,): [*known, *read_elsewhere] for key in options if key not in known}
    refused = {mistake["loc"] for mistake in mistakes if mistake["type"] == "extra_forbidden"}
    # A class that refuses further keys may have a validator that takes some: what it refused, pydantic has said.
    below = _unknown_below(model, options)
    unknown |= {location: keys for location, keys, refuses in below if not refuses or location in refused}
    problems = [
        Problem(
            what=f"unknown option {str(location[-1])!r}.{did_you_mean(str(location[-1]), keys)}",
            file=file,
            path=json_path(location[:-1], path),
            hint=f"Known options: {', '.join(keys) or 'none'}.",
        )
        for location, keys in unknown.items()
    ]
    for mistake in mistakes:
        if mistake["loc"] not in unknown:
            found = "" if mistake["type"] == "missing" else f", found {short_repr(mistake['input'])}"
            what = f"{mistake['msg']}{found}"
            problems.append(Problem(what=what, file=file, path=json_path(mistake["loc"], path)))
    if config is None or problems:
        raise InputError(problems)
    return config


def _unknown_below(model: type[BaseModel], options: Mapping[Any, Any]) -> Iterator[_Unknown]:
    """Keys below the top that are no field of their class."""
    for name, field in model.model_fields.items():
        for key in {name, field.alias or name}:
            if key in options:
                yield from _behind(key, _unknown_in(field.annotation, options[key]))


def _unknown_in(annotation: object, value: object) -> Iterator[_Unknown]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not isinstance(value, Mapping):
            return
        mapping: Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        if (extra := annotation.model_config.get("extra")) != "allow":
            known = known_keys(annotation)
            yield from (((key,), known, extra == "forbid") for key in mapping if key not in known)
        yield from _unknown_below(annotation, mapping)
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
            yield from _unknown_in(part, value)
        return
    for part in parts:
        for key, each in inner:
            yield from _behind(key, _unknown_in(part, each))


def _behind(key: int | str, found: Iterable[_Unknown]) -> Iterator[_Unknown]:
    return (((key, *location), known, refuses) for location, known, refuses in found)


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def short_repr(value: object, limit: int = 80) -> str:
    """A value as a message shows it, cut to ``limit`` characters."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
