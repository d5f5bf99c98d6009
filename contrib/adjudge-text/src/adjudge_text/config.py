"""The options of each criterion, as a configuration file writes them."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from adjudge.plugin import ComponentConfig


class _Folding(ComponentConfig):
    ignore_case: bool = False
    """Whether upper and lower case are the same."""
    ignore_whitespace: bool = False
    """Whether runs of white space are one space, and those at the ends nothing."""


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
    """Whether upper and lower case are the same."""
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
    """Whether a Markdown code fence around the JSON counts for nothing."""


class NumericToleranceConfig(ComponentConfig):
    """Options of ``numeric_tolerance``: a number fits where either tolerance admits it."""

    absolute: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)
    """The largest difference."""
    relative: float = Field(default=1e-9, ge=0.0, allow_inf_nan=False)
    """The largest difference as a share of the expected number."""
