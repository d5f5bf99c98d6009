"""From what a metric function returned to a measurement. Read by attribute: the class does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, cast

from adjudge.plugin import JsonObject, Measurement, Outcome


def measurement_of(result: Any, turns: int, origin: str, threshold: float | None = None) -> Measurement:
    """Read an ``EvaluationResult``, or a bare number for the whole case.

    The overall score is the score of the case; where it is ``None``, the core takes the mean over the
    turns. The core alone applies the threshold; ``NOT_EVALUATED``, and an overall status that says
    the opposite of what ``threshold`` makes of the score, are errors.
    """
    if isinstance(result, Real):
        return Measurement(overall=Outcome.scored(float(result)))
    given = getattr(result, "per_invocation_results", None)
    if not isinstance(given, list | tuple):
        what = f"{origin} gave {type(result).__name__}, expected an EvaluationResult or a number"
        return _failed("not_a_result", what, origin)
    results = cast("Sequence[Any]", given)
    status, score = _status(result, "overall_eval_status"), getattr(result, "overall_score", None)
    if status == "NOT_EVALUATED":
        return _failed("not_evaluated", f"{origin} says that it evaluated nothing", origin)
    if len(results) != turns:
        what = f"{origin} gave {len(results)} results for {turns} turns"
        return _failed("wrong_number_of_results", what, origin)
    overall = None
    if score is not None and _contradicts(status, _number(score), threshold):
        what = (
            f"{origin} says {status} for the score {score}, and the threshold {threshold} says the opposite. "
            "A score is compared with >=: let the function return one that is better where it is higher."
        )
        return _failed("status_contradicts_threshold", what, origin)
    if score is not None:
        overall = Outcome.scored(_number(score), details=_details(result, "overall_rubric_scores", status))
    return Measurement(per_invocation=tuple(_outcome(item, origin) for item in results), overall=overall)


def _contradicts(status: str | None, score: float, threshold: float | None) -> bool:
    return (
        threshold is not None
        and status in ("PASSED", "FAILED")
        and (score >= threshold) != (status == "PASSED")
    )


def _outcome(result: Any, origin: str) -> Outcome:
    status, score = _status(result, "eval_status"), getattr(result, "score", None)
    if status == "NOT_EVALUATED":
        return Outcome.failed("not_evaluated", f"{origin} did not evaluate this turn", origin=origin)
    details = _details(result, "rubric_scores", status)
    if score is None and status in ("PASSED", "FAILED"):
        return Outcome.failed("no_score", f"{origin} says {status} without a score", origin=origin)
    if score is None:
        return Outcome.not_applicable(f"{origin} gave no score for this turn", details=details)
    rationales = [
        f"{item['rubric_id']}: {item['rationale']}"
        for item in details.get("rubric_scores", ())
        if item["rationale"]
    ]
    return Outcome.scored(_number(score), "\n".join(rationales) or None, details=details)


def _status(result: Any, attribute: str) -> str | None:
    status = getattr(result, attribute, None)
    return None if status is None else str(getattr(status, "name", status))


def _details(result: Any, attribute: str, status: str | None) -> JsonObject:
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
