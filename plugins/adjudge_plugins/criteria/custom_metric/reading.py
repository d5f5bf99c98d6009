"""Converts the return value of a metric function to a measurement, by its attributes rather than its class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, cast

from adjudge.model import JsonObject
from adjudge.plugin import Measurement, Outcome
from adjudge_plugins.criteria.custom_metric.statuses import EvalStatus, UnknownStatusError, status_of


def measurement_of(result: Any, turns: int, origin: str, threshold: float | None = None) -> Measurement:
    """Convert an ``EvaluationResult``, or a bare number for the whole case.

    The case's score is the overall score; if that is ``None``, the mean over the turns. The core alone
    applies the threshold. The result is an error in each of these cases: the status of the case or of a turn
    is ``NOT_EVALUATED``; a status comes without a score; a status contradicts what ``threshold`` makes of the
    score; a status is unknown.
    """
    if isinstance(result, Real):
        return Measurement(overall=Outcome.scored(float(result)))
    given = getattr(result, "per_invocation_results", None)
    if not isinstance(given, list | tuple):
        what = f"{origin} gave {type(result).__name__}, expected an EvaluationResult or a number"
        return _failed("not_a_result", what, origin)
    results = cast("Sequence[Any]", given)
    try:
        status = status_of(result, "overall_eval_status")
    except UnknownStatusError as error:
        return _failed("unknown_status", f"{origin}: {error}", origin)
    score = getattr(result, "overall_score", None)
    if status == "NOT_EVALUATED":
        return _failed("not_evaluated", f"{origin} returned a status without an evaluation", origin)
    if len(results) != turns:
        what = f"{origin} gave {len(results)} results for {turns} turns"
        return _failed("wrong_number_of_results", what, origin)
    outcomes = tuple(_outcome(item, origin, threshold) for item in results)
    details = _details(result, "overall_rubric_scores", status)
    if any(item.state == "error" for item in outcomes):
        # Without an overall status the turns decide, and one of them could not be measured.
        return Measurement(per_invocation=outcomes, details=details)
    decisive = _mean(outcomes) if score is None else _number(score)
    if decisive is None and status is not None:
        return _failed("no_score", f"{origin} returned {status} without any score", origin)
    if decisive is not None and _contradicts(status, decisive, threshold):
        of_what = "the mean of the turns" if score is None else "the score"
        return _failed(*_contradiction(origin, status, f"{of_what} {decisive}", threshold), origin)
    if score is None:
        return Measurement(per_invocation=outcomes, details=details)
    return Measurement(per_invocation=outcomes, overall=Outcome.scored(_number(score), details=details))


def _mean(outcomes: Sequence[Outcome]) -> float | None:
    scores = [item.score for item in outcomes if item.score is not None]
    return math.fsum(scores) / len(scores) if scores else None


def _contradicts(status: EvalStatus | None, score: float, threshold: float | None) -> bool:
    return threshold is not None and status is not None and (score >= threshold) != (status == "PASSED")


def _contradiction(
    origin: str, status: EvalStatus | None, score: str, threshold: float | None
) -> tuple[str, str]:
    """The error code and message for a status that contradicts its score."""
    return (
        "status_contradicts_threshold",
        f"{origin} says {status} for {score}, and the threshold {threshold} says the opposite. "
        "A score is compared with >=: let the function return one that is better where it is higher.",
    )


def _outcome(result: Any, origin: str, threshold: float | None) -> Outcome:
    if not hasattr(result, "score") and not hasattr(result, "eval_status"):
        what = f"{origin} gave {type(result).__name__} for a turn, which has neither score nor eval_status"
        return Outcome.failed("not_a_result", what, origin=origin)
    try:
        status = status_of(result, "eval_status")
    except UnknownStatusError as error:
        return Outcome.failed("unknown_status", f"{origin}: {error}", origin=origin)
    given = getattr(result, "score", None)
    if status == "NOT_EVALUATED":
        but = "" if given is None else f"; it gave the score {given}: let it set eval_status too"
        what = f"{origin} returned NOT_EVALUATED for this turn{but}"
        return Outcome.failed("not_evaluated", what, origin=origin)
    details = _details(result, "rubric_scores", status)
    if given is None and status is not None:
        return Outcome.failed("no_score", f"{origin} returned {status} without a score", origin=origin)
    if given is None:
        return Outcome.not_applicable(f"{origin} gave no score for this turn", details=details)
    score = _number(given)
    if _contradicts(status, score, threshold):
        return Outcome.failed(
            *_contradiction(origin, status, f"the score {score} of a turn", threshold), origin=origin
        )
    rationales = [
        f"{item['rubric_id']}: {item['rationale']}"
        for item in details.get("rubric_scores", ())
        if item["rationale"]
    ]
    return Outcome.scored(score, "\n".join(rationales) or None, details=details)


def _details(result: Any, attribute: str, status: EvalStatus | None) -> JsonObject:
    details: JsonObject = {} if status is None else {"eval_status": status}
    rubric_scores = getattr(result, attribute, None)
    if rubric_scores:
        details["rubric_scores"] = [
            {name: getattr(item, name, None) for name in ("rubric_id", "score", "rationale")}
            for item in rubric_scores
        ]
    return details


def _number(score: Any) -> float:
    if not isinstance(score, Real):
        raise TypeError(f"a score must be a number, found {score!r}")
    return float(score)


def _failed(code: str, message: str, origin: str) -> Measurement:
    return Measurement(overall=Outcome.failed(code, message, origin=origin))
