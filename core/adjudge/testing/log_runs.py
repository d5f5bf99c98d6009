"""Results of runs over logs in the form of seed 003, for tests: ``EvaluationResult`` objects, and errors."""

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
    """An installed criterion, not one in words, that measures runs in logs."""

    name: str
    criterion: str
    """The component, as ``plugin/component``."""
    threshold: float
    lower_is_better: bool
    document: JsonObject
    """All settings that determine its results: version, distribution, options, judges."""
    sha256: str
    """The hash of ``document``."""


class Inapplicable(Frozen):
    """A criterion that does not apply to a run."""

    criterion_name: str
    reasoning: str


class JudgedLog(Frozen):
    """The results of one run in a log."""

    source: str
    """The path of the log."""
    run: int
    """The number of the run in the log, from 1."""
    reader: str
    """The trace reader, as ``plugin/component``."""
    task: str | None
    """The task; ``None`` if it is unknown."""
    agent: str | None
    steps: int
    """The number of steps of the run."""
    lost: tuple[str, ...]
    """Descriptions of data that the reader could not keep."""
    task_decomposition: TaskDecomposition | None
    aggregated_steps: tuple[AggregatedSteps, ...]
    """The aggregated views of the run that the judge saw, in the order of use, without duplicates."""
    results: tuple[EvaluationResult, ...]
    """The results of criteria with a verdict, in the order of the criteria, those in words first."""
    not_applicable: tuple[Inapplicable, ...] = ()
    """The criteria that do not apply. Criteria in neither field are errors."""


class LogError(Frozen):
    """A run, or a criterion on a run, that could not be measured."""

    source: str
    """The path of the log."""
    run: int | None = None
    """The number of the run in the log; ``None`` if the log could not be read."""
    criterion_name: str | None = None
    """``None`` if the error affects all criteria."""
    error: Failure
    checks: tuple[CheckResult, ...] = ()
    """The results of checks that could still be decided."""


class JudgedLogs(Frozen):
    """The results of a run over logs."""

    started_at: str
    """ISO 8601, UTC."""
    duration: float
    """Seconds."""
    adjudge_version: str
    criteria: tuple[CompiledCriterion, ...]
    """The criteria in words with their checks; empty if the run ended after aggregation."""
    measured: tuple[MeasuredCriterion, ...] = ()
    """The other criteria."""
    logs: tuple[JudgedLog, ...]
    """The runs, in the order of the logs and in the order of each log."""
    errors: tuple[LogError, ...]
    """The errors, in the same order."""
    judges: dict[str, JudgeCalls] = {}
    """The calls to judges, by model."""
    calibrations: tuple[AppliedCalibration, ...] = ()
    """The calibrations that were applied to these results."""
    warnings: tuple[str, ...] = ()
    plugins: tuple[Participant, ...] = ()
    """The participants: criteria, strategies, readers, judge backends, reporters."""

    @property
    def status(self) -> JudgedStatus | None:
        """The worst status, in the order FAIL, ``error``, UNSURE, PASS; ``None`` if nothing was judged."""
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
        """The exit status: 1 for FAIL, 3 for ``error`` or UNSURE, 0 otherwise."""
        return {"FAIL": 1, "error": 3, "UNSURE": 3, "PASS": 0, None: 0}[self.status]

    @property
    def passed(self) -> bool:
        """Whether the status is PASS."""
        return self.status == "PASS"


def judged_sync(*arguments: Any, **options: Any) -> JudgedLogs:
    """Call ``adjudge.judge_logs_sync`` with these arguments, and convert its result."""
    return judged(judge_logs_sync(*arguments, **options))


def judged(result: RunResult) -> JudgedLogs:
    """Convert the result of a run over logs."""
    with result.report() as report:
        return judged_logs(report)


def result_of(evaluation: EvaluationResult) -> CriterionResult:
    """Convert an evaluation of AI Judge to a ``CriterionResult``."""
    shared = CriterionResult.model_fields.keys() & EvaluationResult.model_fields.keys()
    return CriterionResult(
        criterion="ai-judge/ai_judge",
        status="error" if evaluation.verdict is None else evaluation.verdict.value,
        **{name: getattr(evaluation, name) for name in shared},
    )


def log_case(source: str, *criteria: CriterionResult, **fields: Any) -> CaseResult:
    """Create the result of a run in a log; ``fields`` are further fields of ``CaseResult``."""
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
    """Create the report of a run over logs with these results."""
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
    """Read all results of a run over logs from its report."""
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
    """Convert a result to the form of seed 003; ``planned`` is the criterion, if it is not AI Judge."""
    found = evaluated(result, planned)
    fields = {name: getattr(found, name) for name in EvaluationResult.model_fields}
    if result.used_granularity is not None:
        fields |= {"score": None, "threshold": None}
    return EvaluationResult.model_validate(fields)


def _errors(result: CaseResult) -> Iterator[LogError]:
    """The errors of one run."""
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
    """The errors of criteria with a threshold that applied to no run."""
    only = logs[0] if len(logs) == 1 else None
    if not any(log.results for log in logs):
        return  # the runs already report this
    for item in report.summary.criteria:
        if item.error is not None:
            yield LogError(
                source=f"all {len(logs)} runs" if only is None else only.source,
                run=None if only is None else only.run,
                criterion_name=item.criterion_name,
                error=item.error,
            )
