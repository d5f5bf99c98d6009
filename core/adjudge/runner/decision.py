"""Computes the result of one repeat of a case from its trajectory and its measurements."""

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
    """The agent's trajectory, and the failure that ended it, if any."""

    trajectory: Trajectory
    failure: Failure | None
    duration: float | None
    """Seconds; ``None`` if the agent was not called."""


class CaseOrigin(NamedTuple):
    """The identity of a case, or of a run in a log, in results. Created for every case, so it must be cheap."""

    eval_set_id: str
    eval_set_file: str | None
    eval_id: str
    source: str | None = None
    run: int | None = None


def log_origin(source: str, run: int | None) -> CaseOrigin:
    """The identity of a run in a log, in results."""
    eval_id = "" if run is None else str(run)
    return CaseOrigin(eval_set_id=source, eval_set_file=None, eval_id=eval_id, source=source, run=run)


def not_finished(run: str) -> Failure:
    """The error of a case that an interrupted run has not finished."""
    message = f"the run was interrupted before this was done; finish it with: adjudge resume {run}"
    return Failure(code=NOT_FINISHED, message=message, retryable=True)


def unmeasured(rule: Rule, why: Failure) -> CriterionResult:
    """The placeholder for a missing result of a criterion."""
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
    """Compute the result of one repeat of one case.

    Args:
        origin: The identity of the case in the result.
        rules: The rules of its criteria.
        repeat: The number of the repeat, from 1.
        played: The agent's trajectory.
        criteria: Results of criteria by criterion number.
        missing: The error of the criteria without a result.
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
