"""Isotonic regression: the non-decreasing curve with the least squared error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]


def fit_isotonic(pairs: Iterable[tuple[float, bool]]) -> tuple[Point, ...]:
    """Fit the non-decreasing step function with least squares, by pooling adjacent violators (Ayer et al. 1955).

    Returns:
        The two ends of every step, each as value and share of true.
    """
    blocks: list[tuple[float, float, int, int]] = []  # first value, last value, number of true, total
    for value, alike in groupby(sorted(pairs), key=lambda pair: pair[0]):
        outcomes = [outcome for _, outcome in alike]
        first, last, true, count = value, value, sum(outcomes), len(outcomes)
        while blocks and blocks[-1][2] * count >= true * blocks[-1][3]:
            before = blocks.pop()
            first, true, count = before[0], true + before[2], count + before[3]
        blocks.append((first, last, true, count))
    points: list[Point] = []
    for first, last, true, count in blocks:
        points += [(first, true / count)] if first == last else [(first, true / count), (last, true / count)]
    return tuple(points)


def interpolated(points: Sequence[Point], value: float) -> float:
    """The curve at ``value``, by linear interpolation between its points; constant outside of them."""
    if value <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if value == right:
            return high
        if value < right:
            return low + (high - low) * (value - left) / (right - left)
    return points[-1][1]
