"""Typed configuration of components, with messages about misspelt keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from adjudge.errors import InputError, Problem, did_you_mean, json_path
from adjudge.model.validation import Location, known_keys, unknown_keys


class ComponentConfig(BaseModel):
    """Base class of every component's configuration.

    Unknown keys and non-finite numbers are errors, whatever ``extra`` a subclass sets: with a misspelt threshold or an
    infinite limit everything would pass.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True, protected_namespaces=()
    )

    hands_on_extras: ClassVar[bool] = False
    """Set this, with ``extra="allow"``, if unknown keys are passed on to the user's own code and so are no errors."""

    @classmethod
    def of_run(cls, given: Mapping[str, Any], *, decides: bool, has_judge: bool) -> dict[str, Any]:
        """Convert the options of a whole run over logs to options of every criterion in words.

        Args:
            given: The options, with their names in ``adjudge.judge_logs``.
            decides: Whether there are verdicts; otherwise the run ends after aggregation.
            has_judge: Whether the user names a judge.
        """
        del decides, has_judge
        return dict(given)


class NoConfig(ComponentConfig):
    """The configuration of a component without options."""


_EXPECTED: Final = {
    "bool_parsing": "expected true or false",
    "bool_type": "expected true or false",
    "dict_type": "expected an object",
    "float_parsing": "expected a number",
    "float_type": "expected a number",
    "int_from_float": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_type": "expected a whole number",
    "list_type": "expected a list",
    "model_type": "expected an object",
    "string_type": "expected a text",
    "tuple_type": "expected a list",
}
"""Messages that replace pydantic's, which name types of Python, by its error type."""

ConfigT = TypeVar("ConfigT", bound=ComponentConfig)


def validated_config(
    model: type[ConfigT],
    options: Mapping[str, Any],
    *,
    file: str | None = None,
    path: str = "$",
    read_elsewhere: Iterable[str] = (),
) -> ConfigT:
    """Create an instance of ``model`` from ``options``.

    Args:
        model: The configuration class.
        options: The user's options.
        file: The file of the options, for messages.
        path: The JSON path of the options in the file, for messages.
        read_elsewhere: Other keys that are allowed in the same object but read elsewhere. They are suggested for
            misspelt keys.

    Raises:
        InputError: the options are invalid. It names all problems: unknown keys at any depth with suggestions, wrong
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
        # A class with extra="forbid" may have a validator that accepts some keys: report only what pydantic rejected.
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
            problems.append(Problem(what=_told(mistake), file=file, path=json_path(mistake["loc"], path)))
    if config is None or problems:
        raise InputError(problems)
    return config


def _told(mistake: ErrorDetails) -> str:
    """The message of a validation error, without pydantic's terms."""
    kind, value = mistake["type"], mistake["input"]
    if kind == "missing":
        return mistake["msg"]
    if kind == "value_error" and isinstance(value, dict):
        # A rule about several options: the whole object would be shown.
        return mistake["msg"].removeprefix("Value error, ")
    what = _EXPECTED.get(kind, mistake["msg"].removeprefix("Value error, "))
    allowed = mistake.get("ctx", {}).get("expected", "") if kind in ("enum", "literal_error") else ""
    meant = did_you_mean(str(value), allowed.split("'")[1::2])
    return f"{what}, found {short_repr(value)}{'.' if meant else ''}{meant}"


def short_repr(value: object, limit: int = 80) -> str:
    """The ``repr`` of a value for a message, truncated to ``limit`` characters."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
