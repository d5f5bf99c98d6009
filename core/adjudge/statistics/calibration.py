"""Calibration: from what a judge's votes say to the probability that its verdict is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from adjudge.model.agreement import Decided, LabelledVerdict
from adjudge.model.calibration import Curve
from adjudge.statistics.isotonic import fit_isotonic, interpolated
from adjudge.statistics.platt import fit_platt, logistic

LEAST: Final = 20
"""Fewer labelled verdicts fit nothing."""
FEW: Final = 100
"""Below so many labelled verdicts a calibration is called rough."""
ENOUGH_FOR_ISOTONIC: Final = 1000
"""From so many on isotonic regression is at least as good as Platt's (Niculescu-Mizil and Caruana 2005)."""
_NEAREST: Final = 0.001
"""How near to 0 and 1 a probability is taken, so that its logit is finite."""


def fit_curve(rows: Sequence[LabelledVerdict]) -> Curve:
    """The curve from judged to labelled P(PASS).

    It is fitted to P(PASS), which is the confidence of a PASS and one minus that of a FAIL, rather than to
    the confidence: a judge that is strict errs in its FAILs, and its two verdicts then differ in what they
    are worth. With Platt's method a judge that is calibrated already has slope 1 and intercept 0.

    Args:
        rows: With a verdict and a confidence.
    """
    judged = [
        (_pass_probability(row.verdict, row.confidence), row.label == "PASS")
        for row in rows
        if row.verdict is not None and row.confidence is not None
    ]
    if len(judged) >= ENOUGH_FOR_ISOTONIC:
        return Curve(method="isotonic", points=fit_isotonic(judged))
    slope, intercept = fit_platt([(_logit(value), outcome) for value, outcome in judged])
    return Curve(method="platt", slope=slope, intercept=intercept)


def calibrated_confidence(curve: Curve, verdict: Decided, confidence: float) -> float:
    """The probability that ``verdict`` is right. Below one half, the labels speak against it."""
    judged = _pass_probability(verdict, confidence)
    if curve.method == "isotonic":
        passing = interpolated(curve.points, judged)
    else:
        passing = logistic(curve.slope * _logit(judged) + curve.intercept)
    return _pass_probability(verdict, passing)


def _pass_probability(verdict: Decided, confidence: float) -> float:
    return confidence if verdict == "PASS" else 1 - confidence


def _logit(probability: float) -> float:
    cut = min(max(probability, _NEAREST), 1 - _NEAREST)
    return math.log(cut / (1 - cut))
