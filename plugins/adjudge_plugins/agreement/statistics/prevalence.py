"""The pass rate, corrected for the known error rates of the judge."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

from adjudge_plugins.agreement.report import PassRate
from adjudge_plugins.agreement.statistics.confusion import Confusion, true_negative_rate, true_positive_rate

_Z: Final = NormalDist().inv_cdf(0.975)


def corrected_pass_rate(passes: int, verdicts: int, known: Confusion) -> PassRate:
    """The pass rate of unlabelled runs.

    The estimator of Rogan and Gladen (1978), (judged + TNR - 1) / (TPR + TNR - 1), cut to 0 and 1; its
    95 % interval is that of Lang and Reiczigel (2014), which knows that TPR and TNR are estimates too.

    Args:
        passes: How many of the unlabelled runs are judged PASS.
        verdicts: How many of them have a verdict; at least one.
        known: The judge's verdicts on other runs, against their labels.
    """
    judged = passes / verdicts
    tpr, tnr = true_positive_rate(known), true_negative_rate(known)
    if tpr is None or tnr is None or tpr + tnr <= 1:
        return PassRate(verdicts=verdicts, judged=judged, corrected=None, interval=None)
    return PassRate(
        verdicts=verdicts,
        judged=judged,
        corrected=_within((judged + tnr - 1) / (tpr + tnr - 1)),
        interval=_interval(passes, verdicts, known),
    )


def _interval(passes: int, verdicts: int, known: Confusion) -> tuple[float, float]:
    """Equations 4, 6, 7, 16 and 17 of Lang and Reiczigel: one success and one failure added to each rate."""
    labelled_pass = known.true_pass + known.false_fail + 2
    labelled_fail = known.true_fail + known.false_pass + 2
    tpr, tnr = (known.true_pass + 1) / labelled_pass, (known.true_fail + 1) / labelled_fail
    size = verdicts + _Z**2
    judged = (passes + _Z**2 / 2) / size
    telling = tpr + tnr - 1
    if telling <= 0:  # a judge that few labels do not tell from chance: every rate is possible
        return 0.0, 1.0
    rate = (judged + tnr - 1) / telling
    of_tpr, of_tnr = tpr * (1 - tpr) / labelled_pass, tnr * (1 - tnr) / labelled_fail
    shift = 2 * _Z**2 * (rate * of_tpr - (1 - rate) * of_tnr)
    spread = math.sqrt(judged * (1 - judged) / size + rate**2 * of_tpr + (1 - rate) ** 2 * of_tnr) / telling
    return _within(rate + shift - _Z * spread), _within(rate + shift + _Z * spread)


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)
