"""Texts about a criterion's score and reason, shared by terminal, files and pages."""

from __future__ import annotations

import json
from typing import Final

from adjudge.kit.render.call_diff import value_text
from adjudge.kit.render.scores import compared_text, score_text, threshold_text
from adjudge.model.base import JsonValue
from adjudge.model.evidence import Failure
from adjudge.model.result import CriterionResult, InvocationResult, RepeatedCriterion
from adjudge.model.verdict import Status

_WITHOUT_SCORE: Final[dict[Status, str]] = {
    "error": "could not be measured",
    "UNSURE": "undecided",
    "not_applicable": "does not apply",
}


def criterion_score_text(criterion: CriterionResult, *, otherwise: str = "no score") -> str:
    """The score of a whole case with its threshold, or the reason why there is none.

    Args:
        criterion: The result.
        otherwise: The text if there is no score, and the status gives no reason.
    """
    failed = criterion.status == "FAIL"
    if criterion.score is not None:
        return _compared(criterion, criterion.score)
    if failed and criterion.best_possible is not None:
        return f"at best {_compared(criterion, criterion.best_possible)}"
    return _WITHOUT_SCORE.get(criterion.status, otherwise)


def mean_score_text(criterion: RepeatedCriterion) -> str:
    """The mean score of a case over its repeats with its threshold, or the reason why there is none."""
    if criterion.mean is None:
        return _WITHOUT_SCORE.get(criterion.status, "no score")
    return _compared(criterion, criterion.mean)


def _compared(criterion: CriterionResult | RepeatedCriterion, score: float) -> str:
    return compared_text(
        score,
        criterion.threshold,
        failed=criterion.status == "FAIL",
        lower_is_better=criterion.lower_is_better,
    )


def brief_text(criterion: RepeatedCriterion) -> str:
    """The mean score, its bound and the status for a file: "0.70, threshold 0.80, FAIL", "3.00, maximum 2.00, FAIL"."""
    said = ["-" if criterion.mean is None else score_text(criterion.mean, criterion.threshold)]
    if criterion.threshold is not None:
        bound = "maximum" if criterion.lower_is_better else "threshold"
        said.append(f"{bound} {threshold_text(criterion.threshold)}")
    return ", ".join([*said, criterion.status])


def spread_text(criterion: RepeatedCriterion) -> str:
    """The standard deviation over repeats, to be appended to the mean; empty if there is none."""
    deviation = criterion.standard_deviation
    return "" if deviation is None else f", standard deviation {score_text(deviation)}"


def turn_score_text(criterion: CriterionResult, result: InvocationResult) -> str:
    """The score of one turn, or its status."""
    if result.score is not None:
        return score_text(result.score, criterion.threshold)
    if result.status == "UNSURE" and result.unsure_code:
        return f"undecided ({result.unsure_code})"
    return result.status.replace("_", " ")


def gaps_text(criterion: CriterionResult) -> str:
    """The number of turns with a score if some have none; otherwise empty."""
    if not criterion.per_invocation or criterion.scored == criterion.total:
        return ""
    return f"{criterion.scored} of {criterion.total} turns scored"


def lists_rubrics(found: CriterionResult | InvocationResult) -> bool:
    """Whether to show each rubric: not if all have the reason of the whole result, because no judge was needed."""
    return any(item.rationale != found.reasoning for item in found.rubric_scores)


def detail_text(value: JsonValue, *, everything: bool = False) -> str:
    """Show a detail that has no form of its own, on one line: a short one, unless everything is shown."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return json.dumps(value, ensure_ascii=False, default=str) if everything else value_text(value)


def own_reason(found: CriterionResult | InvocationResult) -> Failure | str | None:
    """The error of a result, or else its reason.

    ``None`` if it is shown elsewhere: it is copied from a turn, or only lists the rubrics.
    """
    turns = found.per_invocation if isinstance(found, CriterionResult) else ()
    if found.error is not None and found.error not in [item.error for item in turns]:
        return found.error
    if not found.reasoning or found.reasoning in [item.reasoning for item in turns] or lists_rubrics(found):
        return None
    return found.reasoning
