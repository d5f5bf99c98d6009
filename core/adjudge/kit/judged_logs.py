"""A run over logs as seed 003 shows it: the runs in them, ``EvaluationResult``s, and what could not be measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, TypeAlias

from adjudge.model.aggregated import AggregatedSteps, TaskDecomposition
from adjudge.model.base import Frozen, JsonObject, canonical_sha256
from adjudge.model.calibration import Calibration
from adjudge.model.evaluation import (
    CheckResult,
    CompiledCriterion,
    EvaluationResult,
    GranularityChoice,
    Inapplicable,
    MeasuredCriterion,
)
from adjudge.model.evidence import Evidence, Failure
from adjudge.model.result import CaseResult, CriterionResult, JudgeCalls, Participant
from adjudge.model.verdict import Verdict
from adjudge.plugin import RunReport

__all__ = ["JudgedLog", "JudgedLogs", "LogError", "evaluation_of", "judged_logs"]

_LEVEL: Final = "step_level"
"""A criterion that measures has seen every step, one by one."""

JudgedStatus: TypeAlias = Literal["PASS", "FAIL", "UNSURE", "error"]


class JudgedLog(Frozen):
    """One run of an agent, read from a log. A log with several runs gives several."""

    source: str
    """The log, as the user named it or as it was found."""
    run: int
    """Which run of that log, from 1."""
    reader: str
    """Who read it, as ``plugin/component``."""
    task: str | None
    """The goal; ``None`` where nobody names one."""
    agent: str | None
    steps: int
    """How many steps the run has."""
    lost: tuple[str, ...]
    """What the reader could not keep, in its words."""
    task_decomposition: TaskDecomposition | None
    aggregated_steps: tuple[AggregatedSteps, ...]
    """What the judge was given an overview with: every view that was made, in the order of use, each once."""
    results: tuple[EvaluationResult, ...]
    """Every criterion that has a verdict, those in words first, in the order of the criteria."""
    not_applicable: tuple[Inapplicable, ...] = ()
    """Criteria that have nothing to measure here. Whatever is in neither is an error."""


class LogError(Frozen):
    """Something that could not be measured. Never a verdict."""

    source: str
    """The log."""
    run: int | None = None
    """Which run of it; ``None`` where the log could not be read up to there."""
    criterion_name: str | None = None
    """``None`` where it concerns every criterion."""
    error: Failure
    checks: tuple[CheckResult, ...] = ()
    """What is known of the criterion all the same."""


class JudgedLogs(Frozen):
    """What ``adjudge judge`` concludes."""

    started_at: str
    """ISO 8601, UTC."""
    duration: float
    """Seconds."""
    adjudge_version: str
    criteria: tuple[CompiledCriterion, ...]
    """Those in words, with their locked checks; empty where it ended after aggregation."""
    measured: tuple[MeasuredCriterion, ...] = ()
    """Those that measure."""
    logs: tuple[JudgedLog, ...]
    """In the order in which the logs were named, then in the order of each log."""
    errors: tuple[LogError, ...]
    """In the same order."""
    judges: dict[str, JudgeCalls] = {}
    """What was asked, by model."""
    calibrations: tuple[Calibration, ...] = ()
    """What made confidences of these results probabilities; those that changed nothing are not here."""
    warnings: tuple[str, ...] = ()
    plugins: tuple[Participant, ...] = ()
    """What took part: criteria, strategies, readers, judge backends, reporters."""

    @property
    def status(self) -> JudgedStatus | None:
        """FAIL before ``error`` before UNSURE before PASS; ``None`` where nothing was to be judged."""
        verdicts = {result.verdict for log in self.logs for result in log.results}
        if Verdict.FAIL in verdicts:
            return "FAIL"
        if self.errors:
            return "error"
        if Verdict.UNSURE in verdicts:
            return "UNSURE"
        return "PASS" if verdicts else None

    @property
    def exit_status(self) -> int:
        """1 where anything failed; else 3 where anything could not be measured or decided; else 0."""
        return {"FAIL": 1, "error": 3, "UNSURE": 3, "PASS": 0, None: 0}[self.status]

    @property
    def passed(self) -> bool:
        """Whether everything has the verdict PASS. What could not be measured never passes."""
        return self.status == "PASS"


def judged_logs(report: RunReport) -> JudgedLogs:
    """What a run over logs came to. All of it is in memory."""
    logs: list[JudgedLog] = []
    errors: list[LogError] = []
    documents: dict[str, Any] = (report.run.logs or {}).get("criteria", {})
    readers: dict[str, Any] = (report.run.logs or {}).get("files", {})
    for case in report.cases():
        result = case.result
        reader = readers.get(result.source or "", {}).get("reader") or ""
        errors += _errors(result)
        if result.error is None or result.criteria:
            logs.append(_log(result, reader, documents, decides=report.run.decides))
    errors += _of_the_whole_run(report, logs)
    results = [result for log in logs for result in log.results]
    return JudgedLogs(
        started_at=report.run.started_at,
        duration=report.run.duration,
        adjudge_version=report.run.adjudge_version,
        criteria=tuple(map(CompiledCriterion.model_validate, report.run.prepared.values())),
        measured=tuple(_measured(report, documents)),
        logs=tuple(logs),
        errors=tuple(errors),
        judges={name: calls for name, calls in report.summary.judges.items() if calls.calls or calls.cached},
        calibrations=_applied(documents, results),
        warnings=report.warnings,
        plugins=report.run.plugins,
    )


def evaluation_of(result: CriterionResult, document: JsonObject | None = None) -> EvaluationResult:
    """A result as seed 003 has it; ``document``: what decides it, where another criterion than AI Judge measured."""
    chosen = GranularityChoice(
        name=_LEVEL, reason=f"measured over every step by {result.criterion}", chosen_by="criterion"
    )
    unsure = (turn.unsure_code for turn in result.per_invocation if turn.unsure_code is not None)
    is_judged = result.used_granularity is not None
    return EvaluationResult(
        criterion_name=result.criterion_name,
        verdict=result.verdict,
        reasoning=_reasoning(result),
        confidence_score=result.confidence_score,
        calibrated=result.calibrated,
        before_calibration=result.before_calibration,
        used_granularity=result.used_granularity or _LEVEL,
        evidence=_evidence(result),
        reason_codes=result.reason_codes or tuple(dict.fromkeys(unsure)),
        error=result.error,
        granularity=result.granularity or chosen,
        checks=result.checks,
        criterion_sha256=result.criterion_sha256 or canonical_sha256(document or {}),
        score=None if is_judged else result.score,
        threshold=None if is_judged else result.threshold,
        judging=result.judging,
    )


def _errors(result: CaseResult) -> Iterator[LogError]:
    """What could not be measured of one run."""
    source = result.source or result.eval_set_id
    if result.error is not None:
        yield LogError(source=source, run=result.run, error=result.error)
    for item in result.criteria:
        if item.status == "error":
            error = item.error or Failure(code="not_measured", message=_reasoning(item))
            yield LogError(
                source=source,
                run=result.run,
                criterion_name=item.criterion_name,
                error=error,
                checks=item.checks,
            )


def _log(result: CaseResult, reader: str, documents: dict[str, Any], *, decides: bool) -> JudgedLog:
    views = {view.model_dump_json(): view for item in result.criteria for view in item.aggregated_steps}
    return JudgedLog(
        source=result.source or result.eval_set_id,
        run=result.run or 1,
        reader=reader,
        task=result.task,
        agent=result.agent,
        steps=result.steps,
        lost=result.lost,
        task_decomposition=next(
            (item.task_decomposition for item in result.criteria if item.task_decomposition is not None), None
        ),
        aggregated_steps=tuple(views.values()),
        results=tuple(
            evaluation_of(item, documents.get(item.criterion_name))
            for item in result.criteria
            if item.verdict is not None
        ),
        not_applicable=tuple(
            Inapplicable(criterion_name=item.criterion_name, reasoning=_reasoning(item))
            for item in result.criteria
            if decides and item.status == "not_applicable"
        ),
    )


def _measured(report: RunReport, documents: dict[str, Any]) -> Iterator[MeasuredCriterion]:
    for item in report.summary.criteria:
        if item.criterion_name not in report.run.prepared and item.threshold is not None:
            document = documents.get(item.criterion_name, {})
            yield MeasuredCriterion(
                name=item.criterion_name,
                criterion=item.criterion,
                threshold=item.threshold,
                lower_is_better=item.lower_is_better,
                document=document,
                sha256=canonical_sha256(document),
            )


def _of_the_whole_run(report: RunReport, logs: Sequence[JudgedLog]) -> Iterator[LogError]:
    """Criteria that decide and applied to no run at all."""
    only = logs[0] if len(logs) == 1 else None
    if not any(log.results for log in logs):
        return  # every run says so already
    for item in report.summary.criteria:
        if item.error is not None:
            yield LogError(
                source=f"all {len(logs)} runs" if only is None else only.source,
                run=None if only is None else only.run,
                criterion_name=item.criterion_name,
                error=item.error,
            )


def _applied(documents: dict[str, Any], results: Iterable[EvaluationResult]) -> tuple[Calibration, ...]:
    """The calibrations that changed a result."""
    used = {
        (result.criterion_sha256, frozenset(result.judging.models))
        for result in results
        if result.calibrated and result.judging is not None
    }
    found = (
        Calibration.model_validate(item)
        for document in documents.values()
        for item in document.get("declared", {}).get("calibrations", ())
    )
    return tuple(
        dict.fromkeys(item for item in found if (item.criterion_sha256, frozenset(item.judges)) in used)
    )


def _reasoning(result: CriterionResult) -> str:
    """Its reason; or those of its turns."""
    if result.reasoning is not None:
        return result.reasoning
    told = [turn.reasoning for turn in result.per_invocation if turn.reasoning]
    if told or result.score is None:
        return " ".join(dict.fromkeys(told)) or f"{result.criterion} says nothing of it"
    return f"{result.criterion} measured {result.score:g}; the threshold is {result.threshold:g}"


def _evidence(result: CriterionResult) -> Evidence:
    """All places and scans, each once."""
    parts = [
        part
        for part in (result.evidence, *(turn.evidence for turn in result.per_invocation))
        if part is not None
    ]
    return Evidence(
        citations=tuple(dict.fromkeys(item for part in parts for item in part.citations)),
        absences=tuple(dict.fromkeys(item for part in parts for item in part.absences)),
    )
