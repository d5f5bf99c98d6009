"""Texts about the confidence of verdicts: from the votes, or calibrated with labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.kit.render.lines import Line, Tone, line
from adjudge.model.evaluation import AppliedCalibration
from adjudge.model.result import CriterionResult


def confidence_text(result: CriterionResult) -> str:
    """The confidence of a verdict as a text, for instance "confidence 0.94"; empty if it is unknown."""
    voted, confidence = result.before_calibration, result.confidence_score
    if confidence is None:
        return f"{voted.verdict} by votes of {voted.confidence_score:.2f}" if voted is not None else ""
    if voted is None:
        return f"confidence {confidence:.2f}"
    against = ", which the labels contradict" if confidence < 0.5 else ""
    return f"confidence {confidence:.2f} (calibrated{against})"


def confidence_lines(applied: Iterable[AppliedCalibration], *, others: bool) -> Iterator[Line]:
    """Lines about the calibrations of the shown confidences, and about confidences without a calibration.

    Args:
        applied: The calibrations of the shown results.
        others: Whether a shown result has a confidence without a calibration.
    """
    elsewhere = ""
    for item in applied:
        below = "" if item.threshold is None else f"; UNSURE below {item.threshold:.3f}"
        yield line(
            (item.criterion_name, Tone.STRONG),
            f": confidence calibrated by {item.rows} labels on {item.fitted_at[:10]}{below}",
        )
        elsewhere = " elsewhere"
    if others:
        yield line(f"confidence is uncalibrated{elsewhere}: it measures how consistent the votes are")
