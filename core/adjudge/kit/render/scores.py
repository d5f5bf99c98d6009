"""Scores and thresholds formatted for people."""

from __future__ import annotations

from typing import Final

from adjudge.kit.render.lines import Tone
from adjudge.model.verdict import Status

_TONES: Final[dict[Status, Tone]] = {
    "PASS": Tone.PASS,
    "FAIL": Tone.FAIL,
    "UNSURE": Tone.UNSURE,
    "error": Tone.ERROR,
    "not_applicable": Tone.FAINT,
    "informational": Tone.PLAIN,
}


def tone_of(status: Status) -> Tone:
    """The tone of a status."""
    return _TONES[status]


def threshold_text(threshold: float) -> str:
    """A threshold with two decimals, or with more if it has more."""
    if threshold.is_integer() and abs(threshold) >= 10:
        return f"{threshold:.15g}"
    rounded = f"{threshold:.2f}"
    return rounded if float(rounded) == threshold else repr(threshold)


def score_text(score: float, threshold: float | None = None) -> str:
    """A score with two decimals, or with more if rounding would be misleading.

    Rounding never moves a score onto or over its threshold, 0 or 1: 0.7999 with the threshold 0.8 is "0.7999".
    """
    score += 0.0  # convert -0.0 to 0.0
    if score.is_integer() and abs(score) >= 10:
        return f"{score:.15g}"
    marks = [0.0, 1.0] if threshold is None else [0.0, 1.0, threshold]
    for digits in range(2, 17):
        text = f"{score:.{digits}f}"
        if all(_order(float(text), mark) == _order(score, mark) for mark in marks):
            return text
    return repr(score)


def compared_text(score: float, threshold: float | None, *, failed: bool, lower_is_better: bool) -> str:
    """A score with its threshold and the side on which it is, for instance "1.00, not above the threshold 2.00"."""
    shown = score_text(score, threshold)
    if threshold is None:
        return shown
    if failed:
        side = "below the " if score < threshold else "above the "
    else:
        side = "not above the " if lower_is_better and score <= threshold else ""
    return f"{shown}, {side}threshold {threshold_text(threshold)}"


def _order(left: float, right: float) -> int:
    return (left > right) - (left < right)
