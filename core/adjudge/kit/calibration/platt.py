"""Platt scaling: a logistic curve fitted to few labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_STEPS: Final = 100
_RIDGE: Final = 1e-12
_SHORTEST: Final = 1e-10


def fit_platt(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Fit slope and intercept of P(true | value) = 1 / (1 + exp(-(slope x value + intercept))).

    The targets are those of Platt (1999), (N+ + 1) / (N+ + 2) and 1 / (N- + 2), with which the slope stays finite for
    perfectly separable labels. The fit uses Newton's method with backtracking, in the numerically stable form of Lin,
    Lin and Weng (2007).
    """
    true = sum(outcome for _, outcome in pairs)
    false = len(pairs) - true
    high, low = (true + 1) / (true + 2), 1 / (false + 2)
    values = [value for value, _ in pairs]
    targets = [high if outcome else low for _, outcome in pairs]
    slope, intercept = 0.0, math.log((true + 1) / (false + 1))
    loss = _loss(values, targets, slope, intercept)
    for _ in range(_STEPS):
        step = _newton_step(values, targets, slope, intercept)
        length = 1.0
        while length >= _SHORTEST:
            tried = slope + length * step[0], intercept + length * step[1]
            reached = _loss(values, targets, *tried)
            if reached < loss:
                break
            length /= 2
        else:
            break
        gained = loss - reached
        (slope, intercept), loss = tried, reached
        if gained < _SHORTEST:
            break
    return slope, intercept


def logistic(value: float) -> float:
    """1 / (1 + exp(-value)), without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))


def _loss(values: Sequence[float], targets: Sequence[float], slope: float, intercept: float) -> float:
    """The negative log likelihood."""
    total = 0.0
    for value, target in zip(values, targets, strict=True):
        score = slope * value + intercept
        total += max(score, 0.0) - target * score + math.log1p(math.exp(-abs(score)))
    return total


def _newton_step(
    values: Sequence[float], targets: Sequence[float], slope: float, intercept: float
) -> tuple[float, float]:
    along = gradient = 0.0
    square, mixed, constant = _RIDGE, 0.0, _RIDGE
    for value, target in zip(values, targets, strict=True):
        chance = logistic(slope * value + intercept)
        weight = chance * (1 - chance)
        along += value * (target - chance)
        gradient += target - chance
        square += value * value * weight
        mixed += value * weight
        constant += weight
    determinant = square * constant - mixed * mixed
    return (
        (constant * along - mixed * gradient) / determinant,
        (square * gradient - mixed * along) / determinant,
    )
