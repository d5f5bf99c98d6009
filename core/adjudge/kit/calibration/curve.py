"""Calibration curves: convert a judge's confidence to the probability that its verdict is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from adjudge.kit.calibration.document import Curve
from adjudge.kit.calibration.isotonic import fit_isotonic, interpolated
from adjudge.kit.calibration.platt import fit_platt, logistic

Decided: TypeAlias = Literal["PASS", "FAIL"]
Judged: TypeAlias = tuple[float, bool]
"""P(PASS) from a judge's votes, and whether the label is PASS."""

ENOUGH_FOR_ISOTONIC: Final = 1000
"""Minimum number of labels for which isotonic regression is at least as good as Platt scaling (Niculescu-Mizil and
Caruana 2005)."""
_NEAREST: Final = 0.001
"""Probabilities are clipped to this distance from 0 and 1, so that the logit is finite."""


def fit_curve(judged: Sequence[Judged]) -> Curve:
    """Fit the curve from judged to labelled P(PASS).

    It is fitted to P(PASS) instead of the confidence; P(PASS) is the confidence of a PASS, and one minus that of a
    FAIL. For instance, a strict judge errs more in its FAILs, so equal confidences of a PASS and a FAIL mean different
    probabilities. With Platt scaling, a perfectly calibrated judge has slope 1 and intercept 0.
    """
    if len(judged) >= ENOUGH_FOR_ISOTONIC:
        return Curve(method="isotonic", points=fit_isotonic(judged))
    slope, intercept = fit_platt([(_logit(value), outcome) for value, outcome in judged])
    return Curve(method="platt", slope=slope, intercept=intercept)


def calibrated_confidence(curve: Curve, verdict: Decided, confidence: float) -> float:
    """The probability that ``verdict`` is right. If it is below 0.5, the labels contradict the verdict."""
    judged = pass_probability(verdict, confidence)
    if curve.method == "isotonic":
        passing = interpolated(curve.points, judged)
    else:
        passing = logistic(curve.slope * _logit(judged) + curve.intercept)
    return pass_probability(verdict, passing)


def pass_probability(verdict: Decided, confidence: float) -> float:
    """Convert the confidence of a verdict to P(PASS). The same function converts P(PASS) to the confidence."""
    return confidence if verdict == "PASS" else 1 - confidence


def _logit(probability: float) -> float:
    cut = min(max(probability, _NEAREST), 1 - _NEAREST)
    return math.log(cut / (1 - cut))
