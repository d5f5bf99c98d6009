"""Calibrating: from what the votes say of a run to what labels have shown that to be worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adjudge.kit.calibration import Calibration, calibrated_confidence
from adjudge.model import CheckResult, EvaluationResult, UnsureCode, Verdict, VotedVerdict
from adjudge_plugins.ai_judge.check_aggregation import deciding_results

OTHER_JUDGES: Final = "other_judges"
"""The code of a verdict that keeps the confidence of its votes: others decided it than were calibrated."""

_LOW: Final[UnsureCode] = "low_confidence"


def calibrated(result: EvaluationResult, calibrations: Sequence[Calibration]) -> EvaluationResult:
    """The result with a confidence that labels have shown to be right.

    It is the same verdict, or UNSURE where the confidence is below the threshold of the calibration. It is never
    the opposite verdict: a confidence below one half says that the labels speak against it.

    Args:
        result: As the votes decided it.
        calibrations: Those of its criterion, each of other judges.
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
    """Whose votes on a check were not lost."""
    return {vote.model for vote in check.votes.votes if vote.label is not None}
