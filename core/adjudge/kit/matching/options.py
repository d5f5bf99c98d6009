"""Options of matching, as a configuration file writes them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self, cast

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from adjudge.errors import InputError, Problem, did_you_mean
from adjudge.kit.matching.patterns import compiled
from adjudge.model.base import Frozen


class MatchType(StrEnum):
    """How strictly the calls of a turn must follow the expected ones (seed 004; ADK ``MatchType``)."""

    EXACT = "EXACT"
    """The same calls in the same order, no other call."""
    IN_ORDER = "IN_ORDER"
    """Every expected call in the expected order; other calls may stand between."""
    ANY_ORDER = "ANY_ORDER"
    """Every expected call in any order; other calls may stand between. One call serves one expected call."""

    @classmethod
    def _missing_(cls, value: object) -> MatchType | None:
        """ADK's other spellings: whatever the case, ``-`` or a space for ``_``, or the numbers 0, 1, 2."""
        if isinstance(value, str):
            return cls.__members__.get(value.strip().upper().replace("-", "_").replace(" ", "_"))
        if isinstance(value, int | float) and value in (0, 1, 2):
            return tuple(cls)[int(value)]
        return None

    @classmethod
    def of(cls, value: object) -> MatchType:
        """Read a match type as ADK does: ``"EXACT"``, ``"in order"``, ``"Any-Order"``, or 0, 1, 2.

        Raises:
            InputError: it is none of these.
        """
        try:
            return cls(cast("str", value))
        except ValueError:
            hint = did_you_mean(value.upper(), cls.__members__) if isinstance(value, str) else ""
            raise InputError(
                Problem(what=f"a match type is EXACT, IN_ORDER or ANY_ORDER; found {value!r:.80}.{hint}")
            ) from None


def _refused(message: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{message}", {"message": message})


class _Options(Frozen):
    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        given: Any = data
        keys = map(str, given) if isinstance(data, Mapping) else ()
        unknown = [key for key in keys if key not in cls.model_fields]
        if unknown:
            found = " ".join(
                f"unknown option {key!r}.{did_you_mean(key, cls.model_fields)}" for key in unknown
            )
            raise _refused(f"{found} Known options: {', '.join(cls.model_fields)}")
        return given


class Tolerance(_Options):
    """How far a number may be from the expected one: the larger of the two allowances counts."""

    absolute: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    relative: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """A share of the expected number: 0.01 is one per cent."""


class ArgumentRules(_Options):
    """How the arguments of two calls of one tool are compared.

    ``ignore``, ``regex`` and ``tolerance`` name arguments by dotted paths: ``status``, ``user.id``,
    ``items.0.price``. A segment may be a glob (``*_id``); ``**`` stands for any number of segments.
    """

    mode: Literal["exact", "subset"] = "exact"
    """``subset``: an object may have more names than the expected one, at every depth."""
    ignore: tuple[str, ...] = ()
    """Paths that do not count, with everything below them."""
    regex: dict[str, str] = {}
    """Path to a pattern that the whole actual value must match, whatever the expected value is."""
    tolerance: dict[str, Tolerance] = {}
    """Path to what a number there may deviate by. ``{"**": ...}`` is for all numbers."""

    @field_validator("regex")
    @classmethod
    def _patterns(cls, patterns: dict[str, str]) -> dict[str, str]:
        for path, pattern in patterns.items():
            try:
                compiled(pattern)
            except ValueError as error:
                raise _refused(f"the pattern of {path!r} is not a regular expression: {error}") from None
        return patterns


class ArgumentOptions(ArgumentRules):
    """Rules for all tools, and for single ones."""

    tools: dict[str, ArgumentRules] = {}
    """Tool name or glob to rules. What an entry names replaces the general rule, the rest is kept.

    An exact name goes before globs, globs in the order of the file.
    """


class CallOptions(Frozen):
    """What every criterion that compares calls takes."""

    model_config = ConfigDict(populate_by_name=True)

    ignore_args: bool = Field(default=False, alias="ignoreArgs")
    """Only names count."""
    # Made when needed: making one builds its validators, which would slow every start.
    arguments: ArgumentOptions = Field(default_factory=ArgumentOptions)
    """How arguments are compared; equality where nothing is said."""

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.ignore_args and self.arguments != ArgumentOptions():
            raise _refused(
                "ignore_args says that arguments do not count, arguments says how they do: give one"
            )
        return self
