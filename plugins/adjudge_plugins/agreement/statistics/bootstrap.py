"""Bootstrap intervals (percentile bootstrap, Efron 1979), identical for the same seed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

Row = TypeVar("Row")

RESAMPLES: Final = 1000
SEED: Final = 20_240_601
LEVEL: Final = 0.95
_DEFINED: Final = 0.9
"""The share of the draws in which a measure must be defined for its interval to be given."""


def percentile_intervals(
    rows: Iterable[Row],
    measure: Callable[[Sequence[Row]], Mapping[str, float | None]],
    *,
    group: Callable[[Row], Hashable],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, tuple[float, float] | None]:
    """A 95 % interval of every measure.

    Args:
        rows: What was measured.
        measure: Names to values, from rows; ``None`` where they leave one undefined.
        group: What rows have in common that are not independent: they are drawn together.
        resamples: How often to draw.
        seed: Of the draws.

    Returns:
        ``None`` for a measure that is undefined in more than a tenth of the draws, or the same in all.
    """
    together: dict[Hashable, list[Row]] = {}
    for row in rows:
        together.setdefault(group(row), []).append(row)
    groups = list(together.values())
    if not groups:
        return {}
    draw = random.Random(seed)  # noqa: S311 - statistics, not secrets
    drawn: dict[str, list[float]] = {}
    for _ in range(resamples):
        sample = [row for rows_of_one in draw.choices(groups, k=len(groups)) for row in rows_of_one]
        for name, value in measure(sample).items():
            values = drawn.setdefault(name, [])
            if value is not None:
                values.append(value)
    return {name: _interval(values, resamples) for name, values in drawn.items()}


def _interval(values: list[float], resamples: int) -> tuple[float, float] | None:
    if len(values) < _DEFINED * resamples:
        return None
    values.sort()
    if values[0] == values[-1]:
        return None
    tail = (1 - LEVEL) / 2
    return _quantile(values, tail), _quantile(values, 1 - tail)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between order statistics (definition 7 of Hyndman and Fan, 1996)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
