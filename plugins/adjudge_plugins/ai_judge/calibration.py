"""Applies calibrations: from the votes on a run to the probability that the verdict is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adjudge.kit.calibration import Calibration, calibrated_confidence
from adjudge.model import CheckResult, EvaluationResult, UnsureCode, Verdict, VotedVerdict
from adjudge_plugins.ai_judge.check_aggregation import deciding_results

OTHER_JUDGES: Final = "other_judges"
"""The reason code of a verdict that is not calibrated, because other judges decided it than were calibrated."""

_LOW: Final[UnsureCode] = "low_confidence"


def calibrated(result: EvaluationResult, calibrations: Sequence[Calibration]) -> EvaluationResult:
    """Replace the confidence of a result by a calibrated one.

    The verdict stays the same, or becomes UNSURE if the confidence is below the threshold of the calibration.
    It is never reversed: a confidence below one half means that labels contradict the verdict.

    Args:
        result: The result of the votes.
        calibrations: The calibrations of its criterion, each for different judges.
    """
    verdict, confidence = result.verdict, result.confidence_score
    if not calibrations or confidence is None or verdict is None or verdict is Verdict.UNSURE:
        return result
    found = next((item for item in calibrations if _decided_by(result, item.judges)), None)
    if found is None:
        return result.model_copy(update={"reason_codes": (*result.reason_codes, OTHER_JUDGES)})
    worth = calibrated_confidence(found.curve, "PASS" if verdict is Verdict.PASS else "FAIL", confidence)
    changes: dict[str, Any] = {
        "confidence_score": worth,
        "calibrated": True,
        "before_calibration": VotedVerdict(verdict=verdict, confidence_score=confidence),
        "calibration": found.applied,
    }
    if found.threshold is not None and worth < found.threshold:
        said = (
            f"The votes say {verdict} with confidence {confidence:.3f}, which {found.rows} labels show to be "
            f"worth {worth:.3f}: less than the {found.threshold:.3f} that a verdict needs."
        )
        changes |= {
            "verdict": Verdict.UNSURE,
            "confidence_score": None,
            "reason_codes": (_LOW, *result.reason_codes),
            "reasoning": f"{said} {result.reasoning}",
        }
    return result.model_copy(update=changes)


def _decided_by(result: EvaluationResult, judges: Sequence[str]) -> bool:
    """Whether all of these judges, and no others, answered the checks that the verdict rests on."""
    wanted = set(judges)
    asked = () if result.judging is None else result.judging.models
    deciding = deciding_results(result.checks, result.verdict)
    return set(asked) == wanted and all(_answered(check) == wanted for check in deciding)


def _answered(check: CheckResult) -> set[str]:
    """The models with a valid vote on a check."""
    return {vote.model for vote in check.votes.votes if vote.label is not None}
