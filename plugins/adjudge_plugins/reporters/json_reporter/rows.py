"""From the model to the rows of the document."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from adjudge.kit.judged_logs import evaluation_of
from adjudge.model import (
    CaseResult,
    Content,
    CriterionResult,
    Invocation,
    InvocationResult,
    JsonObject,
    RepeatedCase,
    RunInfo,
    RunSummary,
)
from adjudge.plugin import (
    ReportedCase,
)
from adjudge_plugins.reporters.json_reporter.judged_rows import (
    evidence_row,
    failure_row,
    judge_calls_row,
    judging_row,
    participant_row,
    rubric_row,
    usage_row,
)

if TYPE_CHECKING:
    # The classes describe the format for type checkers and for the schema; a run needs only the dicts.
    from adjudge_plugins.reporters.json_reporter import document as doc


def case_row(reported: ReportedCase) -> doc.CaseRow:
    """One repeat of one case."""
    result: CaseResult = reported.result
    return {
        "eval_set_id": result.eval_set_id,
        "eval_set_file": result.eval_set_file,
        "eval_id": result.eval_id,
        "repeat": result.repeat,
        "status": result.status,
        "verdict": _verdict(result.verdict),
        "error": failure_row(result.error),
        "duration": result.duration,
        "usage": usage_row(result.usage),
        "criteria": [_criterion(criterion) for criterion in result.criteria],
        "invocations": _turns(reported),
    }


def run_row(run: RunInfo) -> doc.RunRow:
    """What is needed to repeat the run."""
    return {
        "name": run.name,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "duration": run.duration,
        "adjudge_version": run.adjudge_version,
        "python_version": run.python_version,
        "plan_hash": run.plan_hash,
        "agent": run.agent or {},
        "eval_sets": run.eval_sets,
        "num_runs": run.num_runs,
        "timeout": run.timeout,
        "scoring_timeout": run.scoring_timeout,
        "plugins": list(map(participant_row, run.plugins)),
    }


def summary_row(summary: RunSummary) -> doc.SummaryRow:
    """Describe the run, ``repeated`` left empty: that list is as long as the eval sets and is streamed."""
    return {
        "status": summary.status,
        "verdict": _verdict(summary.verdict),
        "exit_status": cast("doc.ExitStatus", summary.exit_status),
        "incomplete": summary.incomplete,
        "cases": summary.cases,
        "repeats": summary.repeats,
        "counts": dict(summary.counts),
        "criteria": [
            {
                "criterion_name": criterion.criterion_name,
                "criterion": criterion.criterion,
                "threshold": criterion.threshold,
                "mean": criterion.mean,
                "counts": dict(criterion.counts),
                "error": failure_row(criterion.error),
            }
            for criterion in summary.criteria
        ],
        "repeated": [],
        "judges": {name: judge_calls_row(calls) for name, calls in summary.judges.items()},
    }


def repeated_row(case: RepeatedCase) -> doc.RepeatedCaseRow:
    """One case over its repeats."""
    return {
        "eval_set_id": case.eval_set_id,
        "eval_set_file": case.eval_set_file,
        "eval_id": case.eval_id,
        "status": case.status,
        "verdict": _verdict(case.verdict),
        "criteria": [
            {
                "criterion_name": criterion.criterion_name,
                "status": criterion.status,
                "verdict": _verdict(criterion.verdict),
                "mean": criterion.mean,
                "standard_deviation": criterion.standard_deviation,
                "threshold": criterion.threshold,
                "scored": criterion.scored,
                "total": criterion.total,
            }
            for criterion in case.criteria
        ],
        "error": failure_row(case.error),
    }


def _criterion(result: CriterionResult) -> doc.CriterionRow:
    return {
        "criterion_name": result.criterion_name,
        "criterion": result.criterion,
        "status": result.status,
        "score": result.score,
        "verdict": _verdict(result.verdict),
        "threshold": result.threshold,
        "reasoning": result.reasoning,
        "error": failure_row(result.error),
        "scored": result.scored,
        "total": result.total,
        "best_possible": result.best_possible,
        "details": _details(result),
        "evidence": None if result.evidence is None else evidence_row(result.evidence),
        "rubric_scores": list(map(rubric_row, result.rubric_scores)),
        "judging": judging_row(result.judging),
        "per_invocation": [_invocation_score(item) for item in result.per_invocation],
    }


def _details(result: CriterionResult) -> JsonObject:
    if result.used_granularity is None:
        return result.details
    evaluation = evaluation_of(result).model_dump(mode="json", exclude={"judging"}, exclude_defaults=True)
    return {**result.details, "evaluation": evaluation}


def _invocation_score(result: InvocationResult) -> doc.InvocationScoreRow:
    return {
        "score": result.score,
        "verdict": _verdict(result.verdict),
        "status": result.status,
        "reasoning": result.reasoning,
        "unsure_code": result.unsure_code,
        "error": failure_row(result.error),
        "details": result.details,
        "evidence": None if result.evidence is None else evidence_row(result.evidence),
        "rubric_scores": list(map(rubric_row, result.rubric_scores)),
    }


def _turns(reported: ReportedCase) -> list[doc.TurnRow]:
    """Put expected and actual turns side by side; the shorter list is the one that ended early."""
    expected = reported.case.conversation or ()
    actual = reported.actual.invocations
    return [_turn(wanted, happened) for wanted, happened in zip_longest(expected, actual)]


def _turn(expected: Invocation | None, actual: Invocation | None) -> doc.TurnRow:
    asked = expected or actual
    return {
        "invocation_id": (expected.invocation_id if expected else "")
        or (actual.invocation_id if actual else ""),
        "prompt": asked.user_content.text if asked else "",
        "expected_response": _text(expected.final_response) if expected else None,
        "actual_response": _text(actual.final_response) if actual else None,
        "expected_calls": [{"name": call.name, "args": call.args} for call in expected.tool_calls]
        if expected
        else None,
        "actual_calls": _actual_calls(actual) if actual else None,
    }


def _actual_calls(invocation: Invocation) -> list[doc.ActualCallRow]:
    rows: list[doc.ActualCallRow] = []
    for step in invocation.steps:
        for call in step.calls:
            row: doc.ActualCallRow = {"step": step.number, "name": call.name, "args": call.args}
            if call.id is not None:
                row["id"] = call.id
            if call.raw_args is not None:
                row["raw_args"] = call.raw_args
            rows.append(row)
    return rows


def _text(content: Content | None) -> str | None:
    return None if content is None else content.text


def _verdict(verdict: object) -> doc.Verdict | None:
    return None if verdict is None else cast("doc.Verdict", str(verdict))
