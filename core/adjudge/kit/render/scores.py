"""Scores and thresholds as a person reads them."""

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
    """Say in which tone a status is shown."""
    return _TONES[status]


def threshold_text(threshold: float) -> str:
    """Show a threshold: two decimals, or as many as it has."""
    if threshold.is_integer() and abs(threshold) >= 10:
        return f"{threshold:.15g}"
    rounded = f"{threshold:.2f}"
    return rounded if float(rounded) == threshold else repr(threshold)


def score_text(score: float, threshold: float | None = None) -> str:
    """Show a score with two decimals, or as many more as it takes to be honest.

    Rounding never takes a score onto or over its threshold, 0 or 1: 0.7999 against 0.8 is "0.7999".
    """
    score += 0.0  # There is no -0.
    if score.is_integer() and abs(score) >= 10:
        return f"{score:.15g}"
    marks = [0.0, 1.0] if threshold is None else [0.0, 1.0, threshold]
    for digits in range(2, 17):
        text = f"{score:.{digits}f}"
        if all(_order(float(text), mark) == _order(score, mark) for mark in marks):
            return text
    return repr(score)


def compared_text(score: float, threshold: float | None, *, failed: bool) -> str:
    """Show a score beside its threshold, and on which side of it the score fell."""
    shown = score_text(score, threshold)
    if threshold is None:
        return shown
    if not failed:
        return f"{shown}, threshold {threshold_text(threshold)}"
    side = "below" if score < threshold else "above"
    return f"{shown}, {side} the threshold {threshold_text(threshold)}"


def _order(left: float, right: float) -> int:
    return (left > right) - (left < right)
