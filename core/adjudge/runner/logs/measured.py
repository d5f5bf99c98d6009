"""Installed criteria on logs: what needs no reference measures a run as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.extension.loader import Extensions
from adjudge.extension.specs import Need
from adjudge.granularity.reducing import merged
from adjudge.model.base import canonical_sha256
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.config import CriterionEntry
from adjudge.model.eval_set import EvalCase
from adjudge.model.evaluation import EvaluationResult, GranularityChoice, Inapplicable, MeasuredCriterion
from adjudge.model.measurement import Evidence, Failure
from adjudge.model.result import CriterionResult
from adjudge.model.trajectory import Trajectory
from adjudge.runner.criteria import make_criterion
from adjudge.runner.host import RunHost
from adjudge.runner.plan import PlannedCriterion
from adjudge.runner.problems import Problems
from adjudge.runner.scoring import score

_LEVEL: Final = "step_level"
"""A criterion that measures has seen every step, one by one."""


@dataclass(frozen=True, slots=True)
class PlannedMeasure:
    """A criterion, ready to score, and what results say of it."""

    planned: PlannedCriterion
    criterion: MeasuredCriterion


def plan_measured(
    entries: Sequence[CriterionEntry],
    extensions: Extensions,
    host: RunHost,
    problems: Problems,
    source: str | None,
) -> tuple[PlannedMeasure, ...]:
    """Make the criteria that measure, each known to need nothing that a log has not.

    Args:
        entries: What the criteria file names.
        extensions: What is installed.
        host: What they are made with.
        problems: Is told what stops them.
        source: The criteria file, for messages.
    """
    planned: list[PlannedMeasure] = []
    for entry in entries:
        place = {"file": source, "path": f"criterion {entry.name!r}"}
        with problems.caught(**place):
            made = make_criterion(entry, extensions, host, problems, place)
            lacking = _lacking(made)
            if lacking:
                problems.add(
                    f"it needs {lacking}, which a log does not have",
                    hint="'adjudge eval recorded:LOG EVAL_SET' measures recorded runs against an eval set.",
                    **place,
                )
            elif not made.rule.gates:
                word = "maximum" if made.rule.lower_is_better else "threshold"
                problems.add(
                    "it has no threshold that a run can miss, so it decides nothing",
                    hint=f"Give it a '{word}'.",
                    **place,
                )
            else:
                planned.append(PlannedMeasure(made, _described(made)))
    return tuple(planned)


def _described(planned: PlannedCriterion) -> MeasuredCriterion:
    document = planned.document()
    return MeasuredCriterion(
        name=planned.rule.criterion_name,
        criterion=planned.component.id,
        threshold=planned.rule.threshold or 0.0,
        lower_is_better=planned.rule.lower_is_better,
        document=document,
        sha256=canonical_sha256(document),
    )


async def measured(
    measure: PlannedMeasure, trajectory: Trajectory
) -> EvaluationResult | Inapplicable | Failure:
    """What a run is worth by one criterion.

    Raises:
        RunError: no further call to a judge makes sense.
    """
    case = EvalCase(eval_id=trajectory.eval_id or "log")
    result = await score(measure.planned, CaseUnderTest(case=case, actual=trajectory))
    reasoning = _reasoning(result)
    if result.status == "not_applicable":
        return Inapplicable(criterion_name=result.criterion_name, reasoning=reasoning)
    if result.verdict is None:
        return result.error or Failure(code="not_measured", message=reasoning)
    chosen = GranularityChoice(
        name=_LEVEL, reason=f"measured over every step by {result.criterion}", chosen_by="criterion"
    )
    unsure = (turn.unsure_code for turn in result.per_invocation if turn.unsure_code is not None)
    return EvaluationResult(
        criterion_name=result.criterion_name,
        verdict=result.verdict,
        reasoning=reasoning,
        used_granularity=_LEVEL,
        evidence=_evidence(result),
        reason_codes=tuple(dict.fromkeys(unsure)),
        granularity=chosen,
        criterion_sha256=measure.criterion.sha256,
        score=result.score,
        threshold=result.threshold,
        judging=result.judging,
    )


def _lacking(planned: PlannedCriterion) -> str:
    """What it needs that no log has, in words; empty where it needs nothing of the kind."""
    spec = planned.component.spec
    has = {Need.JUDGE}
    if getattr(planned.config, "rubrics", ()):
        has.add(Need.RUBRICS)
    needs = sorted(spec.needs - has)
    if not needs and not spec.simulated_conversations:
        return "an expected conversation"
    return ", ".join(need.replace("_", " ") for need in needs)


def _reasoning(result: CriterionResult) -> str:
    """Its reason; or those of its turns."""
    if result.reasoning is not None:
        return result.reasoning
    told = [turn.reasoning for turn in result.per_invocation if turn.reasoning]
    if told or result.score is None:
        return " ".join(dict.fromkeys(told)) or f"{result.criterion} says nothing of it"
    return f"{result.criterion} measured {result.score:g}; the threshold is {result.threshold:g}"


def _evidence(result: CriterionResult) -> Evidence:
    parts = (result.evidence, *(turn.evidence for turn in result.per_invocation))
    return merged([part for part in parts if part is not None])
