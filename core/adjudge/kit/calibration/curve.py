"""Calibration: from what a judge's votes say to the probability that its verdict is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from adjudge.kit.calibration.document import Curve
from adjudge.kit.calibration.isotonic import fit_isotonic, interpolated
from adjudge.kit.calibration.platt import fit_platt, logistic

Decided: TypeAlias = Literal["PASS", "FAIL"]
Judged: TypeAlias = tuple[float, bool]
"""The P(PASS) that a judge's votes say, and whether the label is PASS."""

ENOUGH_FOR_ISOTONIC: Final = 1000
"""From so many on isotonic regression is at least as good as Platt's (Niculescu-Mizil and Caruana 2005)."""
_NEAREST: Final = 0.001
"""How near to 0 and 1 a probability is taken, so that its logit is finite."""


def fit_curve(judged: Sequence[Judged]) -> Curve:
    """The curve from judged to labelled P(PASS).

    It is fitted to P(PASS), which is the confidence of a PASS and one minus that of a FAIL, rather than to
    the confidence: a judge that is strict errs in its FAILs, and its two verdicts then differ in what they
    are worth. With Platt's method a judge that is calibrated already has slope 1 and intercept 0.
    """
    if len(judged) >= ENOUGH_FOR_ISOTONIC:
        return Curve(method="isotonic", points=fit_isotonic(judged))
    slope, intercept = fit_platt([(_logit(value), outcome) for value, outcome in judged])
    return Curve(method="platt", slope=slope, intercept=intercept)


def calibrated_confidence(curve: Curve, verdict: Decided, confidence: float) -> float:
    """The probability that ``verdict`` is right. Below one half, the labels speak against it."""
    judged = pass_probability(verdict, confidence)
    if curve.method == "isotonic":
        passing = interpolated(curve.points, judged)
    else:
        passing = logistic(curve.slope * _logit(judged) + curve.intercept)
    return pass_probability(verdict, passing)


def pass_probability(verdict: Decided, confidence: float) -> float:
    """P(PASS) by a verdict with its confidence, and the confidence of a verdict by P(PASS)."""
    return confidence if verdict == "PASS" else 1 - confidence


def _logit(probability: float) -> float:
    cut = min(max(probability, _NEAREST), 1 - _NEAREST)
    return math.log(cut / (1 - cut))
