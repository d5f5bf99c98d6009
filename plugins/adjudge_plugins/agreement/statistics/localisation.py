"""Localisation of the step at fault: the distance of a judge's step, and baselines without a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

TOLERANCES: Final = (0, 1, 3, 5)
"""The tolerances in steps."""


def share_within(pairs: Sequence[tuple[int, int | None]], within: int) -> float | None:
    """The share of true and found steps that are at most ``within`` apart; a step not found is missed."""
    if not pairs:
        return None
    return sum(found is not None and abs(true - found) <= within for true, found in pairs) / len(pairs)


def position_prior(true: Sequence[int], within: int) -> float | None:
    """The accuracy of naming the same position for every run, chosen without the measured run.

    For each run the position that is best for all others, with the same tolerance; the first of several.
    """
    if len(true) < 2:
        return None
    counts = Counter(true)
    hits = {
        position: sum(counts[near] for near in range(position - within, position + within + 1))
        for position in range(min(true), max(true) + 1)
    }
    right = sum(
        times * (abs(own - _best_without(hits, own, within)) <= within) for own, times in counts.items()
    )
    return right / len(true)


def majority_agent(agents: Sequence[str]) -> float | None:
    """The accuracy of naming the same agent for every run, chosen without the measured run.

    For each run the most frequent agent of all others; the first by name of several.
    """
    if len(agents) < 2:
        return None
    counts = Counter(agents)
    right = 0
    for own, times in counts.items():
        best = min(counts, key=lambda agent: (-(counts[agent] - (agent == own)), agent))
        right += times * (best == own)
    return right / len(agents)


def _best_without(hits: dict[int, int], own: int, within: int) -> int:
    return min(hits, key=lambda position: (-(hits[position] - (abs(own - position) <= within)), position))
