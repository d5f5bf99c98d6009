"""The quality of confidence values: Brier score, calibration error, AUROC.

All of it is about pairs of a confidence and whether the verdict was right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from adjudge_plugins.agreement.report import ReliabilityBin
from adjudge_plugins.agreement.statistics.bins import equal_mass

Sureness: TypeAlias = tuple[float, bool]
"""A confidence from 0 to 1, and whether the verdict was right."""

_BINS: Final = 10
_IN_A_BIN: Final = 10


def brier(pairs: Sequence[Sureness]) -> float | None:
    """The mean squared distance of the confidence from what came true (Brier 1950); 0 is best.

    Always saying 0.5 gives 0.25.
    """
    if not pairs:
        return None
    return math.fsum((confidence - right) ** 2 for confidence, right in pairs) / len(pairs)


def reliability(pairs: Iterable[Sureness]) -> tuple[ReliabilityBin, ...]:
    """Mean confidence and share right in at most ten bins of equal mass, of about ten verdicts at least."""
    bins = equal_mass(pairs, lambda pair: pair[0], most=_BINS, least=_IN_A_BIN)
    return tuple(
        ReliabilityBin(
            count=len(pairs),
            confidence=math.fsum(confidence for confidence, _ in pairs) / len(pairs),
            right=sum(right for _, right in pairs) / len(pairs),
        )
        for pairs in bins
    )


def calibration_error(pairs: Sequence[Sureness]) -> float | None:
    """The expected calibration error: how far confidence is from the share right, a mean over bins.

    Defined by Naeini, Cooper and Hauskrecht (2015); with bins of equal mass as in Nixon and others (2019).
    """
    if not pairs:
        return None
    return math.fsum(found.count * abs(found.confidence - found.right) for found in reliability(pairs)) / len(
        pairs
    )


def auroc(pairs: Sequence[Sureness]) -> float | None:
    """P(a right verdict has the higher confidence than a wrong one), ties counting half.

    The statistic of Mann and Whitney (1947) over the number of pairs; ``None`` where all are right or
    all are wrong. 0.5: the confidence does not tell right from wrong.
    """
    rights = sum(right for _, right in pairs)
    wrongs = len(pairs) - rights
    if not rights or not wrongs:
        return None
    doubled = wrongs_below = 0
    for _, alike in groupby(sorted(pairs), key=lambda pair: pair[0]):
        outcomes = [right for _, right in alike]
        right_here = sum(outcomes)
        wrong_here = len(outcomes) - right_here
        doubled += right_here * (2 * wrongs_below + wrong_here)
        wrongs_below += wrong_here
    return doubled / (2 * rights * wrongs)
