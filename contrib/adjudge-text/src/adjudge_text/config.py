"""The options of each criterion."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from adjudge.plugin import ComponentConfig


class _Folding(ComponentConfig):
    ignore_case: bool = False
    """Whether upper and lower case are treated as equal."""
    ignore_whitespace: bool = False
    """Whether white space counts as one space, and is removed at both ends."""


class ExactMatchConfig(_Folding):
    """Options of ``exact_match``."""


class ContainsConfig(_Folding):
    """Options of ``contains``."""

    texts: tuple[str, ...] | None = Field(default=None, min_length=1)
    """What to look for; the reference response where it is not given."""


class RegexMatchConfig(ComponentConfig):
    """Options of ``regex_match``."""

    pattern: str
    """A regular expression of Python's ``re``."""
    ignore_case: bool = False
    """Whether upper and lower case are treated as equal."""
    whole: bool = False
    """Whether the pattern must cover the whole response."""

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return pattern


class JsonEqualConfig(ComponentConfig):
    """Options of ``json_equal``."""

    ignore_fences: bool = True
    """Whether a Markdown code fence around the JSON is ignored."""


class NumericToleranceConfig(ComponentConfig):
    """Options of ``numeric_tolerance``: a number fits where either tolerance admits it."""

    absolute: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)
    """The largest permitted difference."""
    relative: float = Field(default=1e-9, ge=0.0, allow_inf_nan=False)
    """The largest permitted difference, as a share of the expected number."""
