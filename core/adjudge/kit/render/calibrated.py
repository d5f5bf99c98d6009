"""How sure verdicts are, in words: as the votes have it, or as labels have shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.kit.render.lines import Line, Tone, line
from adjudge.model.evaluation import AppliedCalibration
from adjudge.model.result import CriterionResult


def confidence_text(result: CriterionResult) -> str:
    """Say how sure a verdict is: "confidence 0.94"; empty where nothing is known."""
    voted, confidence = result.before_calibration, result.confidence_score
    if confidence is None:
        return f"{voted.verdict} by votes of {voted.confidence_score:.2f}" if voted is not None else ""
    if voted is None:
        return f"confidence {confidence:.2f}"
    against = ", the labels speak against it" if confidence < 0.5 else ""
    return f"confidence {confidence:.2f} (calibrated{against})"


def confidence_lines(applied: Iterable[AppliedCalibration], *, others: bool) -> Iterator[Line]:
    """Show what made confidences probabilities, and that the others are none.

    Args:
        applied: The calibrations of the results that are shown.
        others: Whether one of them has a confidence without a calibration.
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
        yield line(f"confidence is uncalibrated{elsewhere}: it says how steady the votes are")
