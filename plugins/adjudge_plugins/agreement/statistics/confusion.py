"""The confusion table of labels and verdicts, and agreement measures from its counts.

Every function gives ``None`` where the counts leave the value undefined.
"""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias

from adjudge.model.base import Frozen

NEAR_CHANCE: Final = 0.2
"""Kappa below which agreement is called near chance: "slight" or worse in Landis and Koch (1977)."""
SIGNIFICANCE: Final = 0.05
"""The chance probability above which agreement counts as chance."""

Doubt: TypeAlias = Literal["near_chance", "too_few"]
"""``near_chance``: the judge hardly agrees with the labels; ``too_few``: the labels cannot show that it does."""


class Confusion(Frozen):
    """Labels against verdicts. PASS is the positive class."""

    true_pass: int = 0
    """Labelled PASS, judged PASS."""
    false_fail: int = 0
    """Labelled PASS, judged FAIL."""
    false_pass: int = 0
    """Labelled FAIL, judged PASS."""
    true_fail: int = 0
    """Labelled FAIL, judged FAIL."""

    @property
    def total(self) -> int:
        """How many there are."""
        return self.true_pass + self.false_fail + self.false_pass + self.true_fail

    def __add__(self, other: Confusion) -> Confusion:
        """Both together."""
        return Confusion(
            true_pass=self.true_pass + other.true_pass,
            false_fail=self.false_fail + other.false_fail,
            false_pass=self.false_pass + other.false_pass,
            true_fail=self.true_fail + other.true_fail,
        )


def accuracy(counts: Confusion) -> float | None:
    """The share of verdicts that are as labelled."""
    return _share(counts.true_pass + counts.true_fail, counts.total)


def true_positive_rate(counts: Confusion) -> float | None:
    """TPR: the share of what is labelled PASS that is judged PASS."""
    return _share(counts.true_pass, counts.true_pass + counts.false_fail)


def true_negative_rate(counts: Confusion) -> float | None:
    """TNR: the share of what is labelled FAIL that is judged FAIL."""
    return _share(counts.true_fail, counts.true_fail + counts.false_pass)


def precision(counts: Confusion) -> float | None:
    """The share of what is judged PASS that is labelled PASS."""
    return _share(counts.true_pass, counts.true_pass + counts.false_pass)


def f1(counts: Confusion) -> float | None:
    """The harmonic mean of precision and TPR for PASS (van Rijsbergen 1979)."""
    return _share(2 * counts.true_pass, 2 * counts.true_pass + counts.false_pass + counts.false_fail)


def balanced_accuracy(counts: Confusion) -> float | None:
    """The mean of TPR and TNR: accuracy where both labels weigh the same."""
    positive, negative = true_positive_rate(counts), true_negative_rate(counts)
    return None if positive is None or negative is None else (positive + negative) / 2


def kappa(counts: Confusion) -> float | None:
    """Cohen's kappa: (observed - chance agreement) / (1 - chance agreement) (Cohen 1960).

    For two classes that is 2 (ad - bc) / ((a + c)(c + d) + (a + b)(b + d)), which stays exact until the
    division.
    """
    a, b, c, d = counts.true_pass, counts.false_fail, counts.false_pass, counts.true_fail
    above, below = 2 * (a * d - b * c), (a + c) * (c + d) + (a + b) * (b + d)
    return above / below if below else None


def chance_probability(counts: Confusion) -> float:
    """P(at least this agreement | verdicts that know nothing of the labels), with as many PASS as there are.

    Fisher's exact test, one-sided (Fisher 1935): exact for few labels too, where an interval around kappa
    is not. 1.0 where all labels or all verdicts are the same.
    """
    labelled = counts.true_pass + counts.false_fail
    judged = counts.true_pass + counts.false_pass
    rest = counts.total - labelled
    ways = sum(
        math.comb(labelled, both) * math.comb(rest, judged - both)
        for both in range(counts.true_pass, min(labelled, judged) + 1)
    )
    return ways / math.comb(counts.total, judged)


def doubt(counts: Confusion) -> Doubt | None:
    """The reason not to use a judge with these counts; ``None`` if there is none.

    Near chance is a matter of kappa; where kappa is better, the labels must still be enough to show
    that it is not luck.
    """
    both_labels = counts.true_pass + counts.false_fail > 0 and counts.true_fail + counts.false_pass > 0
    value = kappa(counts)
    if both_labels and value is not None and value < NEAR_CHANCE:
        return "near_chance"
    return "too_few" if chance_probability(counts) > SIGNIFICANCE else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
