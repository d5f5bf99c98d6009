"""What a criterion in words is made into; and any criterion's result as seed 003's ``EvaluationResult`` has it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from adjudge.model.aggregated import AggregatedSteps, TaskDecomposition
from adjudge.model.base import Frozen, canonical_sha256
from adjudge.model.evaluation import CheckKind, GranularityChoice
from adjudge.model.evidence import Evidence
from adjudge.model.result import CaseResult, CriterionInfo, CriterionResult

__all__ = [
    "STEP_LEVEL",
    "Check",
    "CheckKind",
    "CompiledCriterion",
    "Reducer",
    "codes_of",
    "decomposition_of",
    "evaluated",
    "evidence_of",
    "hash_of",
    "reasoning_of",
    "views_of",
]

STEP_LEVEL: Final = "step_level"
"""A criterion that measures has seen every step, one by one."""

Reducer: TypeAlias = Literal["all", "any", "last"]
"""Over parts of a long run: met where every part meets it; where one part does; as the last part to which it
applies has it, which is what a run comes to."""


class Check(Frozen):
    """One atomic, locked question about a run."""

    check_id: str
    """``c1``, ``c2`` and so on."""
    text: str
    """A statement that a run meets or not."""
    about: CheckKind
    reducer: Reducer = "all"


class CompiledCriterion(Frozen):
    """A criterion with its locked checks: all runs are judged by the same ones."""

    name: str
    description: str
    granularity: str | None
    threshold: float
    checks: tuple[Check, ...]
    compiled_by: str
    """``author``, ``code``, or the judge's ``provider/model``."""
    sha256: str
    """The hash of everything above."""


def evaluated(result: CriterionResult, planned: CriterionInfo | None = None) -> CriterionResult:
    """The result with what ``EvaluationResult`` says of every criterion, AI Judge or not.

    Args:
        result: What a criterion says of a run.
        planned: What decides its results; it is hashed where the criterion has no checks to hash.
    """
    chosen = GranularityChoice(
        name=result.used_granularity or STEP_LEVEL,
        reason=f"measured over every step by {result.criterion}",
        chosen_by="criterion",
    )
    return result.model_copy(
        update={
            "reasoning": reasoning_of(result),
            "evidence": evidence_of(result),
            "used_granularity": chosen.name,
            "granularity": result.granularity or chosen,
            "reason_codes": codes_of(result),
            "criterion_sha256": result.criterion_sha256 or hash_of(planned),
        }
    )


def hash_of(planned: CriterionInfo | None) -> str:
    """The SHA-256 of what decides the results of a criterion: with the same one they are comparable."""
    return canonical_sha256({} if planned is None else planned.model_dump(mode="json", exclude_defaults=True))


def reasoning_of(result: CriterionResult) -> str:
    """Its reason; or those of its turns."""
    if result.reasoning is not None:
        return result.reasoning
    told = [turn.reasoning for turn in result.per_invocation if turn.reasoning]
    if told or result.score is None:
        return " ".join(dict.fromkeys(told)) or f"{result.criterion} says nothing of it"
    threshold = "" if result.threshold is None else f"; the threshold is {result.threshold:g}"
    return f"{result.criterion} measured {result.score:g}{threshold}"


def evidence_of(result: CriterionResult) -> Evidence:
    """Its places and scans, and those of its turns, each once."""
    given = (result.evidence, *(turn.evidence for turn in result.per_invocation))
    parts = [part for part in given if part is not None]
    return Evidence(
        citations=tuple(dict.fromkeys(item for part in parts for item in part.citations)),
        absences=tuple(dict.fromkeys(item for part in parts for item in part.absences)),
    )


def codes_of(result: CriterionResult) -> tuple[str, ...]:
    """Its reason codes; or those of its turns that are undecided."""
    unsure = (turn.unsure_code for turn in result.per_invocation if turn.unsure_code is not None)
    return result.reason_codes or tuple(dict.fromkeys(unsure))


def views_of(case: CaseResult) -> tuple[AggregatedSteps, ...]:
    """What judges were given an overview of the run with, each view once, in the order of use."""
    views: list[AggregatedSteps] = []
    for view in (view for item in case.criteria for view in item.aggregated_steps):
        if view not in views:
            views.append(view)
    return tuple(views)


def decomposition_of(case: CaseResult) -> TaskDecomposition | None:
    """The sub-tasks that were found in the run."""
    found = (item.task_decomposition for item in case.criteria)
    return next((item for item in found if item is not None), None)
