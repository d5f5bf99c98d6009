"""The Python API: judge logs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import adjudge
from adjudge.errors import ReportError
from adjudge.extension.judge_options import DEFAULT_NUM_SAMPLES
from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import project_extensions
from adjudge.granularity.services import CriterionEvaluator, Services
from adjudge.granularity.viewing import DEFAULT_BUDGET
from adjudge.model.evaluation import CompiledCriterion, WordedCriterion
from adjudge.model.judged_logs import JudgedLogs
from adjudge.runner.calibration_choice import applied, check_given, may_apply
from adjudge.runner.logs.found import nothing_measured
from adjudge.runner.logs.judging import JudgedRun, LogsJudging
from adjudge.runner.logs.planning import LogsPlan, make_plan
from adjudge.runner.logs.progress import LogsWatch, Progress
from adjudge.runner.logs.request import AUTO, LogsRequest
from adjudge.runner.old_reports import OldReports
from adjudge.runner.reports import write_log_outputs
from adjudge.runner.request import judging_request


async def judge_logs(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    *,
    task: str | None = None,
    judge: str | Sequence[str] = (),
    granularity: str = AUTO,
    reader: str | None = None,
    aggregate_only: bool = False,
    strict_evidence: bool = False,
    correct_phases: bool = False,
    token_budget: int = DEFAULT_BUDGET,
    num_samples: int = DEFAULT_NUM_SAMPLES,
    calibration: str | Path | None = None,
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    use_cache: bool = True,
    record: str | Path | None = None,
    outputs: Sequence[str | Path] = (),
    extensions: Extensions | None = None,
    watch: LogsWatch | None = None,
) -> JudgedLogs:
    """Judge what agents did by criteria in words, from their logs.

    Args:
        logs: Files, folders or globs; one, or several.
        criteria: A criteria file, or its content.
        task: The goal of runs whose log names none.
        judge: The judge model, as ``provider/model``; several are a panel; ``"replay:FILE"`` answers from
            recorded calls.
        granularity: The strategy of all criteria; ``"auto"``: each criterion's own, or the one that fits it.
        reader: The trace reader; otherwise each file's content decides.
        aggregate_only: Whether to end after aggregation, without verdicts. No judge is needed; one that is
            named writes summaries.
        strict_evidence: Whether a run that shows nothing of what came back supports no outcome.
        correct_phases: Whether the judge may move where sub-tasks begin, and join them.
        token_budget: Tokens that one request to a judge may have.
        num_samples: The most votes that a judge has on each decision; fewer are asked for where the rest cannot
            change it.
        calibration: A file of ``adjudge agreement --fit``; otherwise what it has kept of these checks and judges
            applies by itself.
        max_judge_calls: Calls to judges that may be made; what they would decide is an error then.
        max_cost: USD that judges may cost; needs the extra ``prices``.
        use_cache: Whether answers of earlier runs are used, and these kept for later ones.
        record: A new file to record the calls to judges in.
        outputs: Files to write a report to; the ending decides the kind.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Told how far it has come, whenever that changes.

    Raises:
        InputError: something that is needed is missing or wrong; every problem is named, and no call was made.
        PluginError: a required plugin is not available.
        RunError: no further call to the judge makes sense.
        ReportError: a report could not be written; it holds the verdicts.
    """
    started_at, started = datetime.now(UTC), time.perf_counter()
    folder = Path.cwd()
    request = LogsRequest(
        logs=tuple(map(str, [logs] if isinstance(logs, str | Path) else logs)),
        criteria=criteria if criteria is None or isinstance(criteria, str | Path) else tuple(criteria),
        task=task,
        granularity=granularity,
        reader=reader,
        aggregate_only=aggregate_only,
        strict_evidence=strict_evidence,
        correct_phases=correct_phases,
        token_budget=token_budget,
        num_samples=num_samples,
        calibration=None if calibration is None else str(calibration),
        judging=judging_request(
            judge, max_calls=max_judge_calls, max_cost=max_cost, use_cache=use_cache, record=record
        ),
        working_folder=folder,
    )
    extensions = extensions or project_extensions(folder)
    # Resolved before anything runs: nobody's change of the working folder moves them.
    paths = [Path(output).absolute() for output in outputs]
    with OldReports(paths):
        plan = make_plan(request, extensions, paths)
    async with plugin_loops():
        try:
            plan.judges.open(None)
            progress = Progress(watch, lambda: plan.judges.calls, logs=len(plan.logs))
            plan.judges.tell(progress.tell)
            compiled, runs = await _judged(plan, extensions, progress)
        finally:
            await plan.judges.aclose()
    logs_judged = tuple(run.log for run in runs if run.log is not None)
    names = [item.name for item in compiled] + [item.criterion.name for item in plan.measured]
    results = [result for log in logs_judged for result in log.results]
    calibrated = any(result.calibrated for result in results)
    judged = JudgedLogs(
        started_at=started_at.isoformat(timespec="milliseconds"),
        duration=round(time.perf_counter() - started, 3),
        adjudge_version=adjudge.__version__,
        criteria=compiled,
        measured=tuple(measure.criterion for measure in plan.measured),
        logs=logs_judged,
        errors=(*(error for run in runs for error in run.errors), *nothing_measured(names, logs_judged)),
        judges=dict(plan.judges.calls),
        calibrations=applied(plan.judges.calibrations, results) if calibrated else (),
        plugins=plan.host.participants.listed(),
        warnings=tuple(dict.fromkeys((*plan.warnings, *extensions.warnings, *plan.judges.warnings))),
    )
    if failures := write_log_outputs(judged, paths, extensions, plan.host):
        raise ReportError(failures, judged)
    return judged


def judge_logs_sync(
    logs: str | Path | Sequence[str | Path],
    criteria: str | Path | Sequence[WordedCriterion | Mapping[str, Any]] | None = None,
    **options: Any,
) -> JudgedLogs:
    """``judge_logs`` for programs without an event loop; the same arguments."""
    return asyncio.run(judge_logs(logs, criteria, **options))


async def _judged(
    plan: LogsPlan, extensions: Extensions, progress: Progress
) -> tuple[tuple[CompiledCriterion, ...], list[JudgedRun]]:
    request, judge = plan.request, plan.judge
    services = Services(
        extensions.granularity_strategies,
        plan.host,
        judge,
        granularity=None if request.granularity == AUTO else request.granularity,
        budget=request.token_budget,
        correct_phases=request.correct_phases,
    )
    evaluators: list[tuple[WordedCriterion, CriterionEvaluator]] = []
    if judge is not None and not request.aggregate_only:
        evaluators += [
            (
                criterion,
                CriterionEvaluator(
                    services,
                    judge,
                    plan.judges.checks,
                    criterion,
                    strict_evidence=request.strict_evidence,
                    calibrations=may_apply(plan.judges.calibrations, judge, None),
                ),
            )
            for criterion in plan.criteria
        ]
    progress.begin(len(evaluators) + len(plan.measured))
    # Before any log is opened, so that all runs are asked the same, whatever is judged first.
    compiled = await asyncio.gather(*(evaluator.compiled() for _, evaluator in evaluators))
    if request.calibration is not None and judge is not None:
        # Checks that a judge writes are known only now.
        named = [(criterion.name, criterion.sha256) for criterion in compiled]
        check_given(plan.judges.calibrations, request.calibration, named, judge)
    return tuple(compiled), await LogsJudging(plan, services, evaluators, progress).judged()
