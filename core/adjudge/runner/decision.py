"""The decision on one repeat of a case: from what the agent did and what criteria say of it to a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import NOT_FINISHED, USER_AT_FAULT, CaseResult, CriterionResult
from adjudge.model.step import total_usage
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Status, Verdict
from adjudge.verdict.algebra import Rule, case_status, criterion_result


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the agent did, and why it could not go on where it could not."""

    trajectory: Trajectory
    failure: Failure | None
    duration: float | None
    """Seconds; ``None`` where nothing was done."""


class CaseOrigin(NamedTuple):
    """What results call a case, or a run of a log. Made for every case, so that it costs nothing."""

    eval_set_id: str
    eval_set_file: str | None
    eval_id: str
    source: str | None = None
    run: int | None = None


def log_origin(source: str, run: int | None) -> CaseOrigin:
    """What results call a run of a log."""
    eval_id = "" if run is None else str(run)
    return CaseOrigin(eval_set_id=source, eval_set_file=None, eval_id=eval_id, source=source, run=run)


def not_finished(run: str) -> Failure:
    """Why there is no result yet."""
    message = f"the run was interrupted before this was done; finish it with: adjudge resume {run}"
    return Failure(code=NOT_FINISHED, message=message, retryable=True)


def unmeasured(rule: Rule, why: Failure) -> CriterionResult:
    """What stands for the result of a criterion that has none."""
    return criterion_result(
        Measurement(overall=Outcome(state="error", reasoning=why.message, error=why)), rule
    )


def decided(
    origin: CaseOrigin,
    rules: Sequence[Rule],
    repeat: int,
    played: Conversation,
    criteria: Mapping[int, CriterionResult],
    missing: Failure,
) -> CaseResult:
    """One repeat of one case, decided from its parts.

    Args:
        origin: What the result calls it.
        rules: Those of its criteria.
        repeat: From 1.
        played: What the agent did.
        criteria: Results of criteria by their number.
        missing: Why the others have none.
    """
    failure = played.failure
    status: Status = "error"
    results: tuple[CriterionResult, ...] = ()
    if failure is None:
        results = tuple(
            criteria.get(number) or unmeasured(rule, missing) for number, rule in enumerate(rules)
        )
        status, failure = case_status(results, decides=any(rule.gates for rule in rules))
        simulation = played.trajectory.simulation
        if failure is not None and failure.code == USER_AT_FAULT and simulation:
            failure = failure.model_copy(update={"origin": simulation.simulator})
    trajectory, steps = played.trajectory, played.trajectory.steps
    return CaseResult(
        **origin._asdict(),
        repeat=repeat,
        task=trajectory.goal or None,
        agent=trajectory.agent,
        steps=len(steps),
        lost=trajectory.lost,
        simulation=trajectory.simulation,
        usage=total_usage(step.usage for step in steps),
        duration=None if played.duration is None else round(played.duration, 6),
        status=status,
        verdict=Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
        error=failure,
        criteria=results,
    )
