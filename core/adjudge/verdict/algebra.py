"""The verdict algebra: from outcomes of invocations to criteria, cases, repeats and the exit status.

Only these rules turn measurements into verdicts; plugins never see thresholds. The rules cover every combination of
scores, errors, undecided and inapplicable outcomes, and a result that was not measured never passes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from adjudge.model.base import Frozen
from adjudge.model.evaluation import EvaluationResult
from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import (
    NOTHING_MEASURED,
    USER_AT_FAULT,
    CriterionResult,
    InvocationResult,
    RepeatedCriterion,
)
from adjudge.model.verdict import Status, Verdict

_DECIDED_HERE: Final = frozenset(
    ("criterion_name", "verdict", "reasoning", "error", "evidence", "score", "threshold", "judging")
)
"""Fields of a result that these rules set; the values of a judge's ``EvaluationResult`` are not used for them."""


class Rule(Frozen):
    """The rule that turns scores of one criterion into verdicts."""

    criterion_name: str
    criterion: str
    """The component's canonical id."""
    threshold: float | None
    lower_is_better: bool = False
    value_range: tuple[float, float] = (0.0, 1.0)
    measures_user: bool = False
    """Whether the criterion measures the simulated user: a missed threshold is then an ``error``, not a FAIL."""

    @property
    def best(self) -> float:
        """The best possible score."""
        return self.value_range[0] if self.lower_is_better else self.value_range[1]

    @property
    def gates(self) -> bool:
        """Whether the criterion affects the verdict; one without a threshold is informational."""
        return self.threshold is not None

    def passes(self, score: float) -> bool:
        """Whether a score reaches the threshold, unrounded: ``>=``, or ``<=`` if lower is better."""
        if self.threshold is None:
            raise ValueError(f"{self.criterion_name} has no threshold")
        return score <= self.threshold if self.lower_is_better else score >= self.threshold

    def verdict(self, score: float) -> Verdict:
        """PASS or FAIL for a score."""
        return Verdict.PASS if self.passes(score) else Verdict.FAIL


def checked(outcome: Outcome, rule: Rule) -> Outcome:
    """Check an outcome: it becomes an error if its score is missing, not finite, or outside the value range.

    This also applies to its best possible score. An error always has a ``Failure``.
    """
    low, high = rule.value_range
    if outcome.state == "scored":
        score = outcome.score
        if score is None or not math.isfinite(score) or not low <= score <= high:
            return Outcome.failed(
                "score_out_of_range",
                f"the criterion gave the score {score}; its value range is {low} to {high}",
                origin=rule.criterion,
            )
    elif outcome.best_possible is not None and not low <= outcome.best_possible <= high:
        return Outcome.failed(
            "score_out_of_range",
            f"the criterion says that the best score is {outcome.best_possible}; "
            f"its value range is {low} to {high}",
            origin=rule.criterion,
        )
    elif outcome.state == "error" and outcome.error is None:
        message = outcome.reasoning or "the criterion returned an error without a message"
        return Outcome.failed("unexplained", message, origin=rule.criterion)
    return outcome


def invocation_result(outcome: Outcome, rule: Rule) -> InvocationResult:
    """Convert a checked outcome to the result of an invocation."""
    verdict: Verdict | None = None
    status: Status = "informational"
    if outcome.state == "scored":
        if outcome.score is not None and rule.gates:
            verdict = rule.verdict(outcome.score)
            status = verdict.value
    elif outcome.state == "unsure":
        verdict = Verdict.UNSURE
        status = "UNSURE"
    else:
        status = outcome.state
    return InvocationResult(
        status=status,
        verdict=verdict,
        score=outcome.score,
        reasoning=outcome.reasoning,
        unsure_code=outcome.unsure_code,
        error=outcome.error,
        details=outcome.details,
        evidence=outcome.evidence,
        rubric_scores=outcome.rubric_scores,
        best_possible=outcome.best_possible,
    )


@dataclass(frozen=True, slots=True)
class _Decision:
    status: Status
    score: float | None
    best_possible: float | None
    scored: int
    total: int


def mean_of(scores: Sequence[float]) -> float:
    """The arithmetic mean of at least one score. It is finite if all scores are, even if their sum is not."""
    try:
        return math.fsum(scores) / len(scores)
    except OverflowError:  # the sum is too large for a float, but the mean is not
        return math.fsum(score / len(scores) for score in scores)


def _decide(scores: Sequence[float], errors: int, best_of_missing: Sequence[float], rule: Rule) -> _Decision:
    """Rule 2: the mean of the scores; if outcomes are missing, FAIL if even their best scores would fail."""
    total = len(scores) + len(best_of_missing)
    if total == 0:
        return _Decision("not_applicable", None, None, 0, 0)
    if not best_of_missing:
        mean = mean_of(scores)
        status: Status = rule.verdict(mean).value if rule.gates else "informational"
        return _Decision(_of_the_agent(status, rule), mean, None, total, total)
    best = mean_of([*scores, *best_of_missing])
    finite = best if math.isfinite(best) else None
    if not rule.gates:
        status = "informational"
    elif not rule.passes(best):
        status = "FAIL"
    else:
        status = "error" if errors else "UNSURE"
    return _Decision(_of_the_agent(status, rule), None, finite, len(scores), total)


def _of_the_agent(status: Status, rule: Rule) -> Status:
    """Convert a FAIL of the simulated user to ``error``: it is not a failure of the agent."""
    return "error" if rule.measures_user and status == "FAIL" else status


def criterion_result(measurement: Measurement, rule: Rule) -> CriterionResult:
    """The result of one criterion on one case.

    The score is the mean over the applicable invocations, or the overall outcome if the criterion measures the case
    as a whole. With errors or undecided outcomes there is no score: the status is FAIL if even their best scores
    would fail, else ``error`` if there is an error, else UNSURE.
    """
    per_invocation = [checked(outcome, rule) for outcome in measurement.per_invocation]
    deciding = per_invocation if measurement.overall is None else [checked(measurement.overall, rule)]
    scores = [item.score for item in deciding if item.state == "scored" and item.score is not None]
    failures = [item.error for item in deciding if item.state == "error"]
    missing = [item for item in deciding if item.state in ("error", "unsure")]
    best = [rule.best if item.best_possible is None else item.best_possible for item in missing]
    decision = _decide(scores, len(failures), best, rule)
    overall = deciding[0] if measurement.overall is not None else None
    reasoning = measurement.reasoning or (overall.reasoning if overall else None)
    return CriterionResult(
        criterion_name=rule.criterion_name,
        criterion=rule.criterion,
        status=decision.status,
        verdict=_verdict_of(decision.status),
        score=decision.score,
        threshold=rule.threshold,
        lower_is_better=rule.lower_is_better,
        reasoning=reasoning or _why(deciding, decision.status),
        error=_user_at_fault(decision, rule, reasoning)
        or next((error for error in failures if error is not None), None),
        scored=decision.scored,
        total=decision.total,
        best_possible=decision.best_possible,
        details={**(overall.details if overall else {}), **measurement.details},
        evidence=overall.evidence if overall else None,
        rubric_scores=overall.rubric_scores if overall else (),
        per_invocation=tuple(invocation_result(item, rule) for item in per_invocation),
        task_decomposition=measurement.task_decomposition,
        aggregated_steps=measurement.aggregated_steps,
        **_judged(measurement.evaluation, overall),
    )


def _user_at_fault(decision: _Decision, rule: Rule, reasoning: str | None) -> Failure | None:
    """The error of a simulated user that misses the threshold; otherwise ``None``."""
    best = decision.best_possible if decision.score is None else decision.score
    if not rule.measures_user or not rule.gates or best is None or rule.passes(best):
        return None
    message = (
        f"the simulated user is at fault, so the agent is not judged ({rule.criterion_name} "
        f"{best:.2f}, threshold {rule.threshold:g})"
    )
    return Failure(code=USER_AT_FAULT, message=f"{message}: {reasoning}" if reasoning else message)


def _judged(evaluation: EvaluationResult | None, overall: Outcome | None) -> dict[str, Any]:
    """Fields of a result that explain the judge's decision; without a judge the code of an undecided outcome."""
    if evaluation is None:
        code = overall.unsure_code if overall else None
        return {} if code is None else {"reason_codes": (code,)}
    return {
        name: getattr(evaluation, name)
        for name in CriterionResult.model_fields.keys() & EvaluationResult.model_fields.keys() - _DECIDED_HERE
    }


def _why(outcomes: Sequence[Outcome], status: Status) -> str | None:
    """The reasoning of the first outcome with the decisive state."""
    wanted = {"error": "error", "UNSURE": "unsure", "not_applicable": "not_applicable"}.get(status)
    return next((item.reasoning for item in outcomes if item.state == wanted), None)


def _verdict_of(status: Status) -> Verdict | None:
    return Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None


def combined(statuses: Iterable[Status]) -> Status:
    """The worst status, in the order FAIL, ``error``, UNSURE, PASS; ``not_applicable`` if there is none of these."""
    present = set(statuses)
    for status in ("FAIL", "error", "UNSURE", "PASS"):
        if status in present:
            return status
    return "not_applicable"


def case_status(
    criteria: Sequence[CriterionResult | RepeatedCriterion], *, decides: bool = True
) -> tuple[Status, Failure | None]:
    """Rule 3: the status of a case from its gating criteria. If the simulated user is at fault, it is an ``error``.

    Args:
        criteria: One result for each criterion.
        decides: Whether a criterion of the run has a threshold. If none has, as in a run that ends after
            aggregation, the case is ``informational``, or ``error`` if a criterion could not be measured.

    Returns:
        The status, and a failure if there was nothing to decide.
    """
    for item in criteria:
        if isinstance(item, CriterionResult) and item.error is not None and item.error.code == USER_AT_FAULT:
            return "error", item.error
    if not decides:
        return ("error" if any(item.status == "error" for item in criteria) else "informational"), None
    status = combined(item.status for item in criteria if item.threshold is not None)
    if status == "not_applicable":
        return "error", nothing_measured()
    return status, None


def nothing_measured() -> Failure:
    """The failure of a case to which no criterion with a threshold applies."""
    return Failure(
        code=NOTHING_MEASURED,
        message="no criterion with a threshold applies to this case, so it is neither passed nor failed",
    )


def repeated(repeats: Sequence[CriterionResult | None], rule: Rule) -> RepeatedCriterion:
    """Rule 4: the result of one criterion over the repeats of a case.

    Args:
        repeats: One result per repeat; ``None`` if the agent could not be run.
        rule: The criterion's rule.
    """
    applicable = [item for item in repeats if item is None or item.status != "not_applicable"]
    scores = [item.score for item in applicable if item is not None and item.score is not None]
    missing = [item for item in applicable if item is None or item.score is None]
    errors = sum(1 for item in missing if item is None or item.error is not None)
    best = [
        rule.best if item is None or item.best_possible is None else item.best_possible for item in missing
    ]
    decision = _decide(scores, errors, best, rule)
    return RepeatedCriterion(
        criterion_name=rule.criterion_name,
        status=decision.status,
        verdict=_verdict_of(decision.status),
        mean=mean_of(scores) if scores else None,
        standard_deviation=_sample_deviation(scores),
        threshold=rule.threshold,
        lower_is_better=rule.lower_is_better,
        scored=decision.scored,
        total=decision.total,
    )


def _sample_deviation(scores: Sequence[float]) -> float | None:
    if len(scores) < 2:
        return None
    mean = mean_of(scores)
    # hypot avoids the overflow of squaring large numbers.
    deviation = math.hypot(*(score - mean for score in scores)) / math.sqrt(len(scores) - 1)
    return deviation if math.isfinite(deviation) else None


def exit_status(status: Status) -> int:
    """Rule 5: the exit status of a run: 1 for FAIL; 3 for ``error``, UNSURE or no result; 0 otherwise."""
    return {"PASS": 0, "informational": 0, "FAIL": 1}.get(status, 3)
