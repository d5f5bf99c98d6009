"""Bins of about equal mass; equal values are always in the same bin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypeVar

Row = TypeVar("Row")


def equal_mass(
    rows: Iterable[Row], value: Callable[[Row], float], *, most: int, least: int
) -> list[list[Row]]:
    """``rows`` by their value, in bins of about equal mass.

    Votes give few different confidences and step caps many equal lengths: bins of equal width would
    be empty or hold nearly everything, and bins that part equal values would depend on the order.

    Args:
        rows: In any order.
        value: What they are binned by.
        most: The most bins.
        least: About how many rows a bin should have at least: fewer bins where there are fewer rows.
    """
    ordered = sorted(rows, key=value)
    bins = max(1, min(most, len(ordered) // least))
    found: dict[int, list[Row]] = {}
    before = 0
    for _, equal in groupby(ordered, key=value):
        alike = list(equal)
        middle = before + len(alike) / 2
        found.setdefault(int(middle * bins / len(ordered)), []).extend(alike)
        before += len(alike)
    return list(found.values())
