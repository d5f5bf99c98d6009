"""Options of matching in configuration files."""

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
    """The same calls in the same order, and no other calls."""
    IN_ORDER = "IN_ORDER"
    """All expected calls in the expected order; other calls are allowed."""
    ANY_ORDER = "ANY_ORDER"
    """All expected calls in any order; other calls are allowed. An actual call matches at most one expected call."""

    @classmethod
    def _missing_(cls, value: object) -> MatchType | None:
        """Accept ADK's other spellings: any letter case, ``-`` or a space for ``_``, and the numbers 0, 1, 2."""
        if isinstance(value, str):
            return cls.__members__.get(value.strip().upper().replace("-", "_").replace(" ", "_"))
        if isinstance(value, int | float) and value in (0, 1, 2):
            return tuple(cls)[int(value)]
        return None

    @classmethod
    def of(cls, value: object) -> MatchType:
        """Parse a match type as ADK does: ``"EXACT"``, ``"in order"``, ``"Any-Order"``, or 0, 1, 2.

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
    """The allowed deviation from the expected number: the larger of the two values applies."""

    absolute: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    relative: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """A share of the expected number, for instance 0.01 for one per cent."""


class ArgumentRules(_Options):
    """Rules for comparing the arguments of two calls of the same tool.

    ``ignore``, ``regex`` and ``tolerance`` name arguments by dotted paths: ``status``, ``user.id``, ``items.0.price``.
    A segment may be a glob (``*_id``); ``**`` matches any number of segments.
    """

    mode: Literal["exact", "subset"] = "exact"
    """``subset``: actual objects may have additional keys, at every depth."""
    ignore: tuple[str, ...] = ()
    """Paths that are not compared, with everything below them."""
    regex: dict[str, str] = {}
    """Regular expressions by path. The whole actual value must match; the expected value is ignored."""
    tolerance: dict[str, Tolerance] = {}
    """Allowed deviations of numbers by path; ``{"**": ...}`` applies to all numbers."""

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
    """Rules for all tools, and for single tools."""

    tools: dict[str, ArgumentRules] = {}
    """Rules by tool name or glob. The keys of an entry replace the general rules; the other general rules stay.

    An exact name takes precedence over globs; of several globs the first in the file applies.
    """


class CallOptions(Frozen):
    """The options of criteria that compare calls."""

    model_config = ConfigDict(populate_by_name=True)

    ignore_args: bool = Field(default=False, alias="ignoreArgs")
    """Whether to compare only names."""
    # Created on demand: creating one builds its validators, which would slow down every start.
    arguments: ArgumentOptions = Field(default_factory=ArgumentOptions)
    """How to compare arguments; by default by equality."""

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.ignore_args and self.arguments != ArgumentOptions():
            raise _refused(
                "ignore_args ignores the arguments, arguments sets how to compare them: set only one"
            )
        return self
