"""What a criterion hands back: scores, reasons and evidence. It decides no verdict."""

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
    """One rubric on one turn, or on the case (ADK ``RubricScore``)."""

    rubric_id: str
    score: FiniteFloat | None = None
    """``None`` where it does not apply, or could not be decided or measured."""
    rationale: str | None = None
    state: OutcomeState = "scored"
    unsure_code: UnsureCode | None = None
    error: Failure | None = None
    votes: Votes = Votes()
    """What its judges voted; no votes where none was needed."""


class Outcome(Frozen):
    """One measured thing: a score, or the reason why there is none."""

    state: OutcomeState
    score: float | None = None
    """Set exactly where ``state`` is ``scored``."""
    reasoning: str | None = None
    unsure_code: UnsureCode | None = None
    error: Failure | None = None
    details: JsonObject = {}
    """What the criterion wants to show: a diff, labels, counts. JSON only."""
    evidence: Evidence | None = None
    rubric_scores: tuple[RubricScore, ...] = ()
    best_possible: FiniteFloat | None = None
    """Where there is no score: the best one that the parts that are known still allow."""

    @classmethod
    def scored(
        cls,
        score: float,
        reasoning: str | None = None,
        *,
        details: JsonObject | None = None,
        evidence: Evidence | None = None,
    ) -> Outcome:
        """A score. It must be finite and inside the value range of the criterion's spec."""
        return cls(state="scored", score=score, reasoning=reasoning, details=details or {}, evidence=evidence)

    @classmethod
    def not_applicable(cls, reasoning: str, *, details: JsonObject | None = None) -> Outcome:
        """There is nothing to measure here; it leaves the denominator."""
        return cls(state="not_applicable", reasoning=reasoning, details=details or {})

    @classmethod
    def unsure(cls, code: UnsureCode, reasoning: str, *, details: JsonObject | None = None) -> Outcome:
        """It was measured and could not be decided."""
        return cls(state="unsure", unsure_code=code, reasoning=reasoning, details=details or {})

    @classmethod
    def failed(
        cls, code: str, message: str, *, origin: str | None = None, retryable: bool = False
    ) -> Outcome:
        """It could not be measured."""
        return cls(
            state="error",
            reasoning=message,
            error=Failure(code=code, message=message, origin=origin, retryable=retryable),
        )


class Measurement(Frozen):
    """What a criterion found in one case.

    A criterion that measures turn by turn gives one outcome per invocation and leaves ``overall``
    unset: the core takes the mean. One that measures the case as a whole sets ``overall``.
    """

    per_invocation: tuple[Outcome, ...] = ()
    overall: Outcome | None = None
    reasoning: str | None = None
    details: JsonObject = {}
    evaluation: EvaluationResult | None = None
    """How a judge came to ``overall``, where AI Judge measures: shown with the result, and never what decides."""
    task_decomposition: TaskDecomposition | None = None
    """The sub-tasks that were found in the run on the way."""
    aggregated_steps: tuple[AggregatedSteps, ...] = ()
    """The views of the run that the judge was given, in the order of use."""
