"""The binomial distribution: exact probabilities and intervals of shares of small samples."""

from __future__ import annotations

import math


def at_most(successes: int, trials: int, chance: float) -> float:
    """P(at most so many successes in ``trials`` of the given chance), summed in logarithms so that none is lost."""
    if successes >= trials or chance <= 0:
        return 1.0
    if chance >= 1:
        return 0.0
    log_chance, log_rest = math.log(chance), math.log1p(-chance)
    return min(
        math.fsum(
            math.exp(_log_ways(trials, wins) + wins * log_chance + (trials - wins) * log_rest)
            for wins in range(successes + 1)
        ),
        1.0,
    )


def extreme_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of Clopper and Pearson (1934) for a share of none or of all.

    There it has a closed form, and there a bootstrap says nothing: every draw is like every other.

    Raises:
        ValueError: the share is neither 0 nor 1.
    """
    open_end = ((1 - level) / 2) ** (1 / trials)
    if successes == trials:
        return open_end, 1.0
    if successes == 0:
        return 0.0, 1 - open_end
    raise ValueError(f"{successes} of {trials} is neither none nor all")


def _log_ways(trials: int, wins: int) -> float:
    return math.lgamma(trials + 1) - math.lgamma(wins + 1) - math.lgamma(trials - wins + 1)
