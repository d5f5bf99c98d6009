"""Execution: a planned run is made, journalled to its end, and reported; also where it is interrupted."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import adjudge
from adjudge.errors import InputError, JudgeUnusableError, ReportError, RunError, RunStoppedError
from adjudge.extension.hooks import RunFinished
from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.protocols import ReportedCase, RunReport
from adjudge.journal.locations import journal_path
from adjudge.journal.run_journal import Journal
from adjudge.model.base import canonical_sha256
from adjudge.model.result import CaseResult, RunInfo, RunSummary
from adjudge.model.verdict import Status, Verdict
from adjudge.runner.engine import Engine, Watch
from adjudge.runner.journal_views import keep_info, record_of, reported_cases
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import Plan, Unit
from adjudge.runner.reports import report_of, summary_of, write_outputs
from adjudge.runner.request import kept
from adjudge.runner.simulated_ends import SimulatedEnds


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

    @property
    def exit_status(self) -> int:
        """0 everything passed, 1 something failed, 3 something could not be measured or decided."""
        return self.summary.exit_status

    @contextmanager
    def report(self) -> Generator[RunReport]:
        """The run as reporters see it; its cases can be read inside."""
        with Journal.open_to_read(self.journal) as journal:
            yield report_of(journal, self.summary)

    def cases(self) -> Iterator[CaseResult]:
        """The result of every repeat of every case, in the order of the plan."""
        return (item.result for item in self.details())

    def details(self) -> Iterator[ReportedCase]:
        """Every result with its case and with what the agent did."""
        with Journal.open_to_read(self.journal) as journal:
            yield from reported_cases(journal)


async def begun(
    plan: Plan,
    extensions: Extensions,
    old: OldReports,
    path: Path,
    outputs: Sequence[Path],
    watch: Watch | None,
) -> RunResult:
    """Make the journal of a new run, and finish it."""
    name = path.stem
    async with beginning(plan):
        records, eval_ids = plan.source.records()
        journal = Journal.create(
            path,
            {
                "request": kept(plan.request),
                "plan": plan.document(),
                "decided_once": plan.host.decided_once,
                **records,
                "run": _info(name, plan).model_dump(mode="json"),
                "warnings": plan.warnings,
            },
            eval_ids,
        )
    with journal:
        old.remove()
        units, total = plan.source.units(journal, resuming=False)
        return await finished(plan, journal, extensions, name, units, total, outputs, watch)


async def finished(
    plan: Plan,
    journal: Journal,
    extensions: Extensions,
    name: str,
    units: AsyncIterator[Unit],
    total: int | None,
    outputs: Sequence[Path],
    watch: Watch | None,
) -> RunResult:
    """Do what the journal of a run does not have yet, and report; where it is interrupted, as far as it came."""
    started = time.perf_counter()
    engine = Engine(plan, journal, extensions, run=name, watch=watch)
    try:
        async with plugin_loops():
            try:
                plan.judges.open(journal)
                await engine.run(units, total)
            except JudgeUnusableError as error:
                raise RunError(
                    f"{error}\n  What is finished is safe. When this is put right, go on with: adjudge resume {name}"
                ) from error
            finally:
                await plan.judges.aclose()
                if (trouble := await plan.source.aclose()) is not None:
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
        if isinstance(error, InputError) and not engine.began:
            raise
        if isinstance(error, InputError | RunError) and not isinstance(error.__cause__, JudgeUnusableError):
            raise RunStoppedError(str(error)) from error
        raise
    ends = SimulatedEnds()
    summary = summary_of(journal, ends)
    _keep_warnings(journal, plan, extensions, ends)
    report = report_of(journal, summary)
    failures = write_outputs(report, outputs, extensions, plan.host)
    extensions.notify(RunFinished(run=name, summary=summary))
    # Once more: an observer of the end may have raised.
    warnings = _keep_warnings(journal, plan, extensions, ends)
    result = RunResult(name=name, journal=journal.path, summary=summary, warnings=warnings)
    if failures:
        raise ReportError(failures, result)
    return result


def _keep_end(journal: Journal, plan: Plan, started: float, *, finished_at: str | None) -> None:
    """Keep when the run ended, how long it took and what took part."""
    keep_info(
        journal,
        finished_at=finished_at,
        duration=round(record_of(journal).run.duration + time.perf_counter() - started, 3),
        plugins=plan.host.participants.listed(),
    )


@asynccontextmanager
async def beginning(plan: Plan) -> AsyncGenerator[None]:
    """Prepare a run inside; where that fails, the agent that was made for it is closed."""
    try:
        yield
    except BaseException:
        await plan.source.aclose()
        raise


def _keep_warnings(
    journal: Journal, plan: Plan, extensions: Extensions, ends: SimulatedEnds | None = None
) -> tuple[str, ...]:
    ended = () if ends is None else ends.warnings()
    warnings = tuple(dict.fromkeys((*plan.warnings, *extensions.warnings, *plan.judges.warnings, *ended)))
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
        decides=plan.decides,
        **document,
    )


def new_journal(run: str | None, folder: Path | None = None) -> Path:
    """Where the journal of a new run is to be: in ``folder``, or among the runs.

    The name is made from the time where ``run`` is ``None``.

    Raises:
        InputError: the name cannot be one.
    """
    return journal_path(run or f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}", folder)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
