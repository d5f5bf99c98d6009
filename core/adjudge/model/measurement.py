"""The result of a criterion: scores, reasons and evidence, but no verdict."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import FiniteFloat

from adjudge.model.aggregated import AggregatedSteps, TaskDecomposition
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.evaluation import EvaluationResult
from adjudge.model.evidence import Evidence, Failure, UnsureCode
from adjudge.model.judging import Votes

OutcomeState: TypeAlias = Literal["scored", "not_applicable", "unsure", "error"]


class RubricScore(Frozen):
    """The result of one rubric on one turn or on the case (ADK ``RubricScore``)."""

    rubric_id: str
    score: FiniteFloat | None = None
    """``None`` if the rubric does not apply, or could not be decided or measured."""
    rationale: str | None = None
    state: OutcomeState = "scored"
    unsure_code: UnsureCode | None = None
    error: Failure | None = None
    votes: Votes = Votes()
    """The votes of its judges; empty if none were needed."""


class Outcome(Frozen):
    """The outcome of one measurement: a score, or the reason why there is none."""

    state: OutcomeState
    score: float | None = None
    """Set only if ``state`` is ``scored``."""
    reasoning: str | None = None
    unsure_code: UnsureCode | None = None
    error: Failure | None = None
    details: JsonObject = {}
    """Details that the criterion shows, as JSON: a diff, labels, counts."""
    evidence: Evidence | None = None
    rubric_scores: tuple[RubricScore, ...] = ()
    best_possible: FiniteFloat | None = None
    """If there is no score: the best score that is still possible, given the known parts."""

    @classmethod
    def scored(
        cls,
        score: float,
        reasoning: str | None = None,
        *,
        details: JsonObject | None = None,
        evidence: Evidence | None = None,
    ) -> Outcome:
        """Create an outcome with a score, which must be finite and in the value range of the criterion's spec."""
        return cls(state="scored", score=score, reasoning=reasoning, details=details or {}, evidence=evidence)

    @classmethod
    def not_applicable(cls, reasoning: str, *, details: JsonObject | None = None) -> Outcome:
        """Create an outcome for something that the criterion does not apply to. It is not counted in the mean."""
        return cls(state="not_applicable", reasoning=reasoning, details=details or {})

    @classmethod
    def unsure(cls, code: UnsureCode, reasoning: str, *, details: JsonObject | None = None) -> Outcome:
        """Create an outcome that was measured but could not be decided."""
        return cls(state="unsure", unsure_code=code, reasoning=reasoning, details=details or {})

    @classmethod
    def failed(
        cls, code: str, message: str, *, origin: str | None = None, retryable: bool = False
    ) -> Outcome:
        """Create an outcome that could not be measured."""
        return cls(
            state="error",
            reasoning=message,
            error=Failure(code=code, message=message, origin=origin, retryable=retryable),
        )


class Measurement(Frozen):
    """The measurement of one criterion on one case.

    A criterion that measures every turn gives one outcome per invocation and leaves ``overall`` unset: the core
    computes the mean. A criterion that measures the case as a whole sets ``overall``.
    """

    per_invocation: tuple[Outcome, ...] = ()
    overall: Outcome | None = None
    reasoning: str | None = None
    details: JsonObject = {}
    evaluation: EvaluationResult | None = None
    """AI Judge's evaluation behind ``overall``. It is shown with the result, and does not decide it."""
    task_decomposition: TaskDecomposition | None = None
    """The sub-tasks found in the run."""
    aggregated_steps: tuple[AggregatedSteps, ...] = ()
    """The aggregated views of the run that the judge saw, in the order of use."""
