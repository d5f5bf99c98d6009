"""Selective prediction: coverage and agreement when low-confidence verdicts are dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from adjudge_plugins.agreement.report import CurvePoint
from adjudge_plugins.agreement.statistics.binomial import at_most
from adjudge_plugins.agreement.statistics.confidence import Sureness

SIGNIFICANCE: Final = 0.05
"""The chance that a threshold does not keep what it promises."""


def risk_coverage(pairs: Sequence[Sureness], labelled: int) -> tuple[CurvePoint, ...]:
    """Coverage and agreement at every confidence that occurs, from the highest (El-Yaniv and Wiener 2010).

    Args:
        pairs: Confidence and rightness of every verdict.
        labelled: How many verdicts there could be; those that were not given cover nothing.
    """
    points: list[CurvePoint] = []
    decided = right = 0
    for confidence, alike in groupby(sorted(pairs, reverse=True), key=lambda pair: pair[0]):
        outcomes = [outcome for _, outcome in alike]
        decided += len(outcomes)
        right += sum(outcomes)
        points.append(
            CurvePoint(
                confidence=confidence,
                decided=decided,
                coverage=decided / labelled,
                agreement=right / decided,
            )
        )
    return tuple(points)


def threshold_for(
    pairs: Sequence[Sureness], wanted: float, significance: float = SIGNIFICANCE
) -> float | None:
    """The lowest confidence at which the wanted agreement is shown; ``None`` where the labels show it nowhere.

    Fixed-sequence testing as in "Trust or Escalate" (Jung, Brahman and Choi 2025): from the highest
    confidence down, each threshold is tested by an exact binomial test of "the agreement above it is less
    than wanted", and the first that is not rejected ends it. So the chance that the threshold promises too
    much is at most ``significance``, however many are tried. Thresholds above which there are too few
    verdicts to show anything even if all were right are passed over; that looks at no label.
    """
    if wanted <= 0:
        return min((confidence for confidence, _ in pairs), default=None)
    needed = math.inf if wanted >= 1 else math.log(significance) / math.log(wanted)
    found: float | None = None
    for point in risk_coverage(pairs, max(len(pairs), 1)):
        if point.decided < needed:
            continue
        wrong = point.decided - round(point.agreement * point.decided)
        if at_most(wrong, point.decided, 1 - wanted) > significance:
            break
        found = point.confidence
    return found
