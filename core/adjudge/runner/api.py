"""The Python API: evaluate an agent, resume a run."""

from __future__ import annotations

import asyncio
import platform
import secrets
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import adjudge
from adjudge.errors import InputError, Problem, ReportError, RunError, RunStoppedError
from adjudge.extension.events import RunFinished
from adjudge.extension.guard import closed
from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import project_extensions
from adjudge.extension.protocols import ReportedCase
from adjudge.journal.locations import journal_path
from adjudge.journal.run_journal import Journal
from adjudge.judge.client import JudgeUnusableError
from adjudge.model.base import canonical_sha256
from adjudge.model.result import CaseResult, RunInfo, RunSummary, Status, Verdict
from adjudge.runner.calibration_choice import planned_calibrations
from adjudge.runner.engine import Engine, Watch, Work
from adjudge.runner.journal_views import reported_cases, run_info
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import Plan, differences
from adjudge.runner.planning import make_plan
from adjudge.runner.reports import report_of, summary_of, write_outputs
from adjudge.runner.request import (
    DEFAULT_CONCURRENCY,
    DEFAULT_SCORING_TIMEOUT,
    DEFAULT_TIMEOUT,
    EvalSetSource,
    RunRequest,
    judging_request,
    kept,
    request_of,
    with_agent,
)
from adjudge.runner.resumption import remaining


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A finished run. The cases stay in the journal and are read when they are asked for."""

    name: str
    journal: Path
    summary: RunSummary
    warnings: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """FAIL before ``error`` before UNSURE before PASS, over all cases."""
        return self.summary.status

    @property
    def verdict(self) -> Verdict | None:
        """The status where it is a verdict."""
        return self.summary.verdict

    @property
    def passed(self) -> bool:
        """Whether everything that decides passed. What could not be measured never passes."""
        return self.summary.status == "PASS"

    def cases(self) -> Iterator[CaseResult]:
        """The result of every repeat of every case, in the order of the plan."""
        return (item.result for item in self.details())

    def details(self) -> Iterator[ReportedCase]:
        """Every result with its case and with what the agent did."""
        with Journal.open_to_read(self.journal) as journal:
            yield from reported_cases(journal)


async def evaluate(
    agent: object,
    eval_sets: EvalSetSource | Sequence[EvalSetSource],
    *,
    config: str | Path | Mapping[str, Any] | None = None,
    agent_options: Mapping[str, Any] | None = None,
    num_runs: int = 1,
    concurrency: int = DEFAULT_CONCURRENCY,
    timeout: float | None = DEFAULT_TIMEOUT,
    scoring_timeout: float | None = DEFAULT_SCORING_TIMEOUT,
    run: str | None = None,
    judge: str | Sequence[str] = (),
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    use_cache: bool = True,
    record: str | Path | None = None,
    outputs: Sequence[str | Path] = (),
    trust_code: bool = False,
    extensions: Extensions | None = None,
    watch: Watch | None = None,
) -> RunResult:
    """Run an agent over eval sets and score what it did.

    Args:
        agent: A target as on the command line (``"package.module:name"``, ``"http://…"``,
            ``"recorded:FILE"``), or the agent itself: a callable or an object with sessions.
        eval_sets: Files, folders, ``"FILE:id1,id2"``, or ``EvalSet`` objects; one, or several.
        config: A configuration file, or its content; otherwise every eval set uses the
            ``test_config.json`` of its own folder, or the default criteria.
        agent_options: Options of the agent adapter.
        num_runs: How often every case runs.
        concurrency: Sessions with the agent that are open at a time.
        timeout: Seconds that a case may take; ``None`` for no limit.
        scoring_timeout: Seconds that a criterion may take on a case, without what it waits for judges;
            ``None`` for no limit.
        run: The name of the run; made from the time where it is not given.
        judge: The judge model of every criterion that needs one, as ``provider/model``; several are a
            panel; ``"replay:FILE"`` answers from recorded calls. Otherwise each criterion's own.
        max_judge_calls: Calls to judges that may be made; what they would decide is an error then.
        max_cost: USD that judges may cost; needs the extra ``prices``.
        use_cache: Whether answers of earlier runs are used, and these kept for later ones.
        record: A new file to record the calls to judges in.
        outputs: Files to write a report to; the ending decides the kind.
        trust_code: Whether code is run that a ``test_config.json`` names which was found beside an eval set
            and does not lie in the folder of the agent.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Told every event as it happens.

    Raises:
        InputError: something that the run needs is missing or wrong; every problem is named, and no
            call was made.
        PluginError: a required plugin is not available.
        RunError: a run of that name exists, or its journal cannot be written.
        ReportError: a report could not be written; it holds the result.
    """
    _check_concurrency(concurrency)
    paths = _resolved(outputs)
    request = request_of(
        agent,
        eval_sets,
        config=config,
        agent_options=agent_options,
        num_runs=num_runs,
        timeout=timeout,
        scoring_timeout=scoring_timeout,
        judging=judging_request(
            judge, max_calls=max_judge_calls, max_cost=max_cost, use_cache=use_cache, record=record
        ),
        trust_code=trust_code,
        concurrency=concurrency,
    )
    with OldReports(paths) as old:
        extensions = extensions or project_extensions(Path(request.working_folder))
        plan = await make_plan(request, extensions, agent=agent, outputs=paths)
        name = run or _new_name()
        async with _beginning(plan):
            journal = Journal.create(
                journal_path(name),
                {
                    "request": kept(request),
                    "plan": plan.document(),
                    "files": [file.record.model_dump(mode="json") for file in plan.files],
                    "run": _info(name, plan).model_dump(mode="json"),
                    "warnings": plan.warnings,
                },
                (entry.eval_id for file in plan.files for entry in file.entries),
            )
        with journal:
            old.remove()
            work = (Work(unit, None, {}) for unit in plan.units())
            total = plan.cases * request.num_runs
            return await _finish(plan, journal, extensions, name, work, total, concurrency, paths, watch)


async def resume(
    run: str,
    *,
    agent: object = None,
    concurrency: int | None = None,
    max_judge_calls: int | None = None,
    max_cost: float | None = None,
    outputs: Sequence[str | Path] = (),
    extensions: Extensions | None = None,
    watch: Watch | None = None,
) -> RunResult:
    """Finish a run that was interrupted. Finished work is not repeated; retryable errors are tried again.

    Args:
        run: The run's name.
        agent: The agent itself, where the run was started with an object and not with a target; the whole
            address, where it has a query, whose values are not kept.
        concurrency: Sessions with the agent that are open at a time; otherwise as many as at the start.
        max_judge_calls: Calls to judges that may still be made; otherwise as many as at the start.
        max_cost: USD that judges may still cost; otherwise as much as at the start.
        outputs: Files to write a report to.
        extensions: Loaded plugins, for tests; otherwise those of this environment.
        watch: Told every event as it happens.

    Raises:
        RunError: there is no such run, it is still being written, or its plan has changed since: the
            differences are named.
        ReportError: a report could not be written; it holds the result.
        InputError: something that the run needs is missing or wrong by now.
    """
    if concurrency is not None:
        _check_concurrency(concurrency)
    paths = _resolved(outputs)
    with OldReports(paths) as old, Journal.open_for_resume(journal_path(run)) as journal:
        meta = journal.meta()
        with journal.reading():
            request = RunRequest.model_validate(meta["request"])
            calibrations = planned_calibrations(meta["plan"])
        request = with_agent(request, agent, run)
        budgets = {"max_calls": max_judge_calls, "max_cost": max_cost}
        given = {name: value for name, value in budgets.items() if value is not None}
        request = request.model_copy(update={"judging": request.judging.model_copy(update=given)})
        extensions = extensions or project_extensions(Path(request.working_folder))
        plan = await make_plan(
            request,
            extensions,
            agent=agent,
            outputs=paths,
            resuming=True,
            calibrations=calibrations,
        )
        async with _beginning(plan):
            if plan.hash != canonical_sha256(meta["plan"]):
                listed = "\n".join(f"  {line}" for line in differences(meta["plan"], plan.document()))
                raise RunError(
                    f"run {run!r} cannot be resumed, because what it evaluates has changed:\n{listed}"
                )
            plan.host.participants.add_known(run_info(journal).plugins)
            with journal.reading():
                work, total = remaining(plan, journal)
            if total:
                # Until the end it is unfinished again: results were taken back, so that they are made anew.
                again = run_info(journal).model_copy(update={"finished_at": None})
                journal.set_meta({"run": again.model_dump(mode="json")})
        old.remove()
        at_once = request.concurrency if concurrency is None else concurrency
        return await _finish(plan, journal, extensions, run, work, total, at_once, paths, watch)


def evaluate_sync(
    agent: object, eval_sets: EvalSetSource | Sequence[EvalSetSource], **options: Any
) -> RunResult:
    """``evaluate`` for programs without an event loop; the same arguments."""
    return asyncio.run(evaluate(agent, eval_sets, **options))


def resume_sync(run: str, **options: Any) -> RunResult:
    """``resume`` for programs without an event loop; the same arguments."""
    return asyncio.run(resume(run, **options))


async def _finish(
    plan: Plan,
    journal: Journal,
    extensions: Extensions,
    name: str,
    work: Iterator[Work],
    total: int,
    concurrency: int,
    outputs: Sequence[Path],
    watch: Watch | None,
) -> RunResult:
    started = time.perf_counter()
    engine = Engine(plan, journal, extensions, run=name, concurrency=concurrency, watch=watch)
    try:
        async with plugin_loops():
            try:
                plan.judges.open(journal)
                await engine.run(work, total)
            except JudgeUnusableError as error:
                raise RunError(
                    f"{error}\n  What is finished is safe. When this is put right, go on with: adjudge resume {name}"
                ) from error
            finally:
                await plan.judges.aclose()
                if (trouble := await closed(plan.agent.component, plan.agent.adapter)) is not None:
                    extensions.warn(trouble)
                plan.judges.keep_calls()
        _keep_end(journal, plan, started, finished_at=_now())
    except BaseException as error:
        # What is known is reported, without a verdict, and then what happened is told.
        with suppress(Exception):
            _keep_end(journal, plan, started, finished_at=None)
            _keep_warnings(journal, plan, extensions)
        with suppress(Exception):
            write_outputs(report_of(journal, summary_of(journal)), outputs, extensions, plan.host)
        if isinstance(error, InputError | RunError) and not isinstance(error.__cause__, JudgeUnusableError):
            raise RunStoppedError(str(error)) from error
        raise
    summary = summary_of(journal)
    _keep_warnings(journal, plan, extensions)
    report = report_of(journal, summary)
    failures = write_outputs(report, outputs, extensions, plan.host)
    extensions.notify("run_finished", RunFinished(run=name, summary=summary))
    # Once more: an observer of the end may have raised.
    warnings = _keep_warnings(journal, plan, extensions)
    result = RunResult(name=name, journal=journal.path, summary=summary, warnings=warnings)
    if failures:
        raise ReportError(failures, result)
    return result


def _keep_end(journal: Journal, plan: Plan, started: float, *, finished_at: str | None) -> None:
    """Keep when the run ended, how long it took and what took part."""
    before = run_info(journal)
    update = {
        "finished_at": finished_at,
        "duration": round(before.duration + time.perf_counter() - started, 3),
        "plugins": plan.host.participants.listed(),
    }
    journal.set_meta({"run": before.model_copy(update=update).model_dump(mode="json")})


@asynccontextmanager
async def _beginning(plan: Plan) -> AsyncGenerator[None]:
    """Prepare a run inside; where that fails, the agent that was made for it is closed."""
    try:
        yield
    except BaseException:
        await closed(plan.agent.component, plan.agent.adapter)
        raise


def _check_concurrency(concurrency: int) -> None:
    if concurrency < 1:
        raise InputError(Problem(what=f"the concurrency must be at least 1, found {concurrency}"))


def _resolved(outputs: Iterable[str | Path]) -> list[Path]:
    """The outputs as absolute paths, before an agent can change the working folder."""
    return [Path(output).absolute() for output in outputs]


def _keep_warnings(journal: Journal, plan: Plan, extensions: Extensions) -> tuple[str, ...]:
    warnings = tuple(dict.fromkeys((*plan.warnings, *extensions.warnings, *plan.judges.warnings)))
    journal.set_meta({"warnings": warnings})
    return warnings


def _info(name: str, plan: Plan) -> RunInfo:
    document = plan.document()
    return RunInfo(
        name=name,
        started_at=_now(),
        adjudge_version=adjudge.__version__,
        python_version=platform.python_version(),
        plan_hash=canonical_sha256(document),
        plugins=plan.host.participants.listed(),
        **document,
    )


def _new_name() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
