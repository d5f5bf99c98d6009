"""Runs over logs in a test, as seed 003 shows them: ``EvaluationResult``s, and what could not be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from adjudge import RunResult, judge_logs_sync
from adjudge.kit.evaluation import (
    CompiledCriterion,
    decomposition_of,
    evaluated,
    hash_of,
    reasoning_of,
    views_of,
)
from adjudge.model.aggregated import AggregatedSteps, TaskDecomposition
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.evaluation import AppliedCalibration, CheckResult, EvaluationResult
from adjudge.model.evidence import Failure
from adjudge.model.result import (
    CaseResult,
    CriterionInfo,
    CriterionResult,
    JudgeCalls,
    LogInfo,
    LogsInfo,
    Participant,
    RunInfo,
    RunSummary,
)
from adjudge.model.verdict import Verdict
from adjudge.plugin import RunReport
from adjudge.testing.reported_case import FinishedCase
from adjudge.verdict.algebra import combined

JudgedStatus: TypeAlias = Literal["PASS", "FAIL", "UNSURE", "error"]


class MeasuredCriterion(Frozen):
    """An installed criterion that measures a run as it is in its log, without words of the user's."""

    name: str
    criterion: str
    """The component, as ``plugin/component``."""
    threshold: float
    lower_is_better: bool
    document: JsonObject
    """Everything that decides its results: version, distribution, options, judges."""
    sha256: str
    """The hash of ``document``."""


class Inapplicable(Frozen):
    """A criterion that has nothing to measure in a run. Never a verdict."""

    criterion_name: str
    reasoning: str


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
    calibrations: tuple[AppliedCalibration, ...] = ()
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


def judged_sync(*arguments: Any, **options: Any) -> JudgedLogs:
    """What ``adjudge.judge_logs_sync`` finds with these arguments."""
    return judged(judge_logs_sync(*arguments, **options))


def judged(result: RunResult) -> JudgedLogs:
    """What a run over logs came to."""
    with result.report() as report:
        return judged_logs(report)


def result_of(evaluation: EvaluationResult) -> CriterionResult:
    """What was concluded by AI Judge, as a run has it."""
    shared = CriterionResult.model_fields.keys() & EvaluationResult.model_fields.keys()
    return CriterionResult(
        criterion="ai-judge/ai_judge",
        status="error" if evaluation.verdict is None else evaluation.verdict.value,
        **{name: getattr(evaluation, name) for name in shared},
    )


def log_case(source: str, *criteria: CriterionResult, **fields: Any) -> CaseResult:
    """A run in a log with these results; ``fields``: what else is known of it."""
    status = combined(item.status for item in criteria) if criteria else "error"
    known: dict[str, Any] = {
        "run": 1,
        "steps": 1,
        "status": status,
        "verdict": Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
        **fields,
    }
    return CaseResult(eval_set_id=source, eval_id="1", source=source, criteria=criteria, **known)


def report_of(cases: Sequence[CaseResult]) -> RunReport:
    """A run over logs with these results, as a reporter is given it."""
    read = LogInfo(reader="recorded/recorded", sha256=None)
    run = RunInfo(
        name="recorded",
        started_at="2026-01-01T00:00:00+00:00",
        finished_at="2026-01-01T00:00:01+00:00",
        adjudge_version="0",
        python_version="3",
        plan_hash="0" * 64,
        logs=LogsInfo(files={case.source: read for case in cases if case.source}, criteria={}),
    )
    reported = [FinishedCase(result=case, case=EvalCase(eval_id=case.eval_id)) for case in cases]
    summary = RunSummary(status="informational", exit_status=0, cases=len(cases))
    return RunReport(run=run, summary=summary, cases=lambda: iter(reported))


def judged_logs(report: RunReport) -> JudgedLogs:
    """What a run over logs came to. All of it is in memory."""
    logs: list[JudgedLog] = []
    errors: list[LogError] = []
    planned = {} if report.run.logs is None else report.run.logs.criteria
    files = {} if report.run.logs is None else report.run.logs.files
    for case in report.cases():
        result = case.result
        read = files.get(result.source or "")
        reader = "" if read is None or read.reader is None else read.reader
        errors += _errors(result)
        if result.error is None or result.criteria:
            logs.append(_log(result, reader, planned, decides=report.run.decides))
    errors += _of_the_whole_run(report, logs)
    results = [result for log in logs for result in log.results]
    return JudgedLogs(
        started_at=report.run.started_at,
        duration=report.run.duration,
        adjudge_version=report.run.adjudge_version,
        criteria=tuple(map(CompiledCriterion.model_validate, report.run.prepared.values())),
        measured=tuple(_measured(report, planned)),
        logs=tuple(logs),
        errors=tuple(errors),
        judges={name: calls for name, calls in report.summary.judges.items() if calls.calls or calls.cached},
        calibrations=tuple(dict.fromkeys(item.calibration for item in results if item.calibration)),
        warnings=report.warnings,
        plugins=report.run.plugins,
    )


def evaluation_of(result: CriterionResult, planned: CriterionInfo | None = None) -> EvaluationResult:
    """A result as seed 003 has it; ``planned``: what decides it, where another criterion than AI Judge measured."""
    found = evaluated(result, planned)
    fields = {name: getattr(found, name) for name in EvaluationResult.model_fields}
    if result.used_granularity is not None:
        fields |= {"score": None, "threshold": None}
    return EvaluationResult.model_validate(fields)


def _errors(result: CaseResult) -> Iterator[LogError]:
    """What could not be measured of one run."""
    source = result.source or result.eval_set_id
    if result.error is not None:
        yield LogError(source=source, run=result.run, error=result.error)
    for item in result.criteria:
        if item.status == "error":
            error = item.error or Failure(code="not_measured", message=reasoning_of(item))
            yield LogError(
                source=source,
                run=result.run,
                criterion_name=item.criterion_name,
                error=error,
                checks=item.checks,
            )


def _log(
    result: CaseResult, reader: str, planned: Mapping[str, CriterionInfo], *, decides: bool
) -> JudgedLog:
    return JudgedLog(
        source=result.source or result.eval_set_id,
        run=result.run or 1,
        reader=reader,
        task=result.task,
        agent=result.agent,
        steps=result.steps,
        lost=result.lost,
        task_decomposition=decomposition_of(result),
        aggregated_steps=views_of(result),
        results=tuple(
            evaluation_of(item, planned.get(item.criterion_name))
            for item in result.criteria
            if item.verdict is not None
        ),
        not_applicable=tuple(
            Inapplicable(criterion_name=item.criterion_name, reasoning=reasoning_of(item))
            for item in result.criteria
            if decides and item.status == "not_applicable"
        ),
    )


def _measured(report: RunReport, planned: Mapping[str, CriterionInfo]) -> Iterator[MeasuredCriterion]:
    for item in report.summary.criteria:
        if item.criterion_name not in report.run.prepared and item.threshold is not None:
            info = planned.get(item.criterion_name)
            yield MeasuredCriterion(
                name=item.criterion_name,
                criterion=item.criterion,
                threshold=item.threshold,
                lower_is_better=item.lower_is_better,
                document={} if info is None else info.model_dump(mode="json", exclude_defaults=True),
                sha256=hash_of(info),
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
