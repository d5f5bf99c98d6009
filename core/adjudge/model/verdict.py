"""Verdicts, and the statuses that are none."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias


class Verdict(StrEnum):
    """The three verdicts. Everything else is a status without a verdict."""

    PASS = "PASS"  # noqa: S105 - a verdict
    FAIL = "FAIL"
    UNSURE = "UNSURE"


Status: TypeAlias = Literal["PASS", "FAIL", "UNSURE", "error", "not_applicable", "informational"]
"""A verdict, or why there is none."""
