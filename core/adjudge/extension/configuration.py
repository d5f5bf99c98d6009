"""Typed configuration of components, and messages that name the misspelt key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from adjudge.errors import InputError, Problem, did_you_mean, json_path
from adjudge.model.validation import Location, known_keys, unknown_keys


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

    @classmethod
    def of_run(cls, given: Mapping[str, Any], *, decides: bool, has_judge: bool) -> dict[str, Any]:
        """Options of every criterion in words, from those that a user gives for a whole run over logs.

        Args:
            given: The options, under the names of ``adjudge.judge_logs``.
            decides: Whether there are verdicts; otherwise the run ends after aggregation.
            has_judge: Whether the user names a judge.
        """
        del decides, has_judge
        return dict(given)


class NoConfig(ComponentConfig):
    """The configuration of a component that has no options."""


ConfigT = TypeVar("ConfigT", bound=ComponentConfig)


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
    refused = {mistake["loc"] for mistake in mistakes if mistake["type"] == "extra_forbidden"}
    unknown: dict[Location, list[str]] = {}
    for location, holder in unknown_keys(model, options):
        extra = holder.model_config.get("extra")
        if len(location) == 1:
            if not takes_any:
                unknown[location] = [*known, *read_elsewhere]
        # A class that refuses further keys may have a validator that takes some: what it refused, pydantic has said.
        elif extra != "allow" and (extra != "forbid" or location in refused):
            unknown[location] = known_keys(holder)
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


def short_repr(value: object, limit: int = 80) -> str:
    """A value as a message shows it, cut to ``limit`` characters."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
