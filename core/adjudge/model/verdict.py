"""Verdicts, and statuses that are not verdicts."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias


class Verdict(StrEnum):
    """The three verdicts. All other statuses are without a verdict."""

    PASS = "PASS"  # noqa: S105 - a verdict
    FAIL = "FAIL"
    UNSURE = "UNSURE"


Status: TypeAlias = Literal["PASS", "FAIL", "UNSURE", "error", "not_applicable", "informational"]
"""A verdict, or the reason why there is none."""
