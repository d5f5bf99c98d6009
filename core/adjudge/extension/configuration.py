"""Typed configuration of components, and messages that name the misspelt key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from adjudge.errors import InputError, Problem, did_you_mean, json_path, suggestion


class ComponentConfig(BaseModel):
    """Base of every component's configuration.

    Unknown keys are refused. A component that takes a file of ADK's, where ADK allows further keys,
    sets ``model_config = ConfigDict(extra="allow")``: they are kept with a warning then, and a near
    miss of a known key is still an error.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, protected_namespaces=())

    hands_on_extras: ClassVar[bool] = False
    """Set, with ``extra="allow"``, where somebody's own code is given the further keys: they are no mistake then."""


class NoConfig(ComponentConfig):
    """The configuration of a component that has no options."""


ConfigT = TypeVar("ConfigT", bound=ComponentConfig)


def known_keys(model: type[BaseModel]) -> list[str]:
    """Every key that a configuration class reads, aliases included."""
    keys: list[str] = []
    for name, field in model.model_fields.items():
        keys.append(name)
        if field.alias is not None and field.alias != name:
            keys.append(field.alias)
    return keys


def validated_config(
    model: type[ConfigT], options: Mapping[str, Any], *, file: str | None = None, path: str = "$"
) -> tuple[ConfigT, tuple[str, ...]]:
    """Build ``model`` from ``options``.

    Returns:
        The configuration, and one warning for every unknown key that the class allows.

    Raises:
        InputError: with every problem: unknown keys (and what was probably meant), wrong types,
            missing options.
    """
    known = known_keys(model)
    allows_extras = model.model_config.get("extra") == "allow"
    problems: list[Problem] = []
    warnings: list[str] = []
    for key in options:
        if key in known or (allows_extras and model.hands_on_extras):
            continue
        if not allows_extras or suggestion(key, known):
            problems.append(_unknown_option(key, known, file=file, path=path))
        else:
            warnings.append(f"{path}.{key}: nothing reads this option; it is kept")
    try:
        config = model.model_validate(
            {key: value for key, value in options.items() if key in known or allows_extras}
        )
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
    if problems:
        raise InputError(problems)
    return config, tuple(warnings)


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
