"""Compiled criteria in words, and results of any criterion as seed 003's ``EvaluationResult``."""

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
"""The granularity of criteria without a judge, which see every step."""

Reducer: TypeAlias = Literal["all", "any", "last"]
"""How to combine the results of a check on the parts of a long run: it is met if all parts meet it (``all``), if any
part does (``any``), or if the last part to which it applies does (``last``)."""


class Check(Frozen):
    """One atomic check of a compiled criterion."""

    check_id: str
    """``c1``, ``c2`` and so on."""
    text: str
    """The statement that a run meets or not."""
    about: CheckKind
    reducer: Reducer = "all"


class CompiledCriterion(Frozen):
    """A criterion in words with its checks. All runs are judged by the same checks."""

    name: str
    description: str
    granularity: str | None
    threshold: float
    checks: tuple[Check, ...]
    compiled_by: str
    """``author``, ``code``, or the judge's ``provider/model``."""
    sha256: str
    """The hash of all other fields."""


def evaluated(result: CriterionResult, planned: CriterionInfo | None = None) -> CriterionResult:
    """Add the fields of ``EvaluationResult`` to the result of a criterion that is not AI Judge.

    Args:
        result: The result of a criterion on a run.
        planned: The criterion's settings, which are hashed if it has no checks.
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
    """The SHA-256 of a criterion's settings. Results with the same hash are comparable."""
    return canonical_sha256({} if planned is None else planned.model_dump(mode="json", exclude_defaults=True))


def reasoning_of(result: CriterionResult) -> str:
    """The reasoning of a result, or else that of its turns."""
    if result.reasoning is not None:
        return result.reasoning
    told = [turn.reasoning for turn in result.per_invocation if turn.reasoning]
    if told or result.score is None:
        return " ".join(dict.fromkeys(told)) or f"{result.criterion} gave no reason"
    threshold = "" if result.threshold is None else f"; the threshold is {result.threshold:g}"
    return f"{result.criterion} measured {result.score:g}{threshold}"


def evidence_of(result: CriterionResult) -> Evidence:
    """The evidence of a result and its turns, without duplicates."""
    given = (result.evidence, *(turn.evidence for turn in result.per_invocation))
    parts = [part for part in given if part is not None]
    return Evidence(
        citations=tuple(dict.fromkeys(item for part in parts for item in part.citations)),
        absences=tuple(dict.fromkeys(item for part in parts for item in part.absences)),
    )


def codes_of(result: CriterionResult) -> tuple[str, ...]:
    """The reason codes of a result, or else those of its undecided turns."""
    unsure = (turn.unsure_code for turn in result.per_invocation if turn.unsure_code is not None)
    return result.reason_codes or tuple(dict.fromkeys(unsure))


def views_of(case: CaseResult) -> tuple[AggregatedSteps, ...]:
    """The aggregated views of the run that judges saw, in the order of use, without duplicates."""
    views: list[AggregatedSteps] = []
    for view in (view for item in case.criteria for view in item.aggregated_steps):
        if view not in views:
            views.append(view)
    return tuple(views)


def decomposition_of(case: CaseResult) -> TaskDecomposition | None:
    """The sub-tasks found in the run; ``None`` if it was not decomposed."""
    found = (item.task_decomposition for item in case.criteria)
    return next((item for item in found if item is not None), None)
