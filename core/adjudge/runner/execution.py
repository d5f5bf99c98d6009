"""Executes a plan: runs it, writes the journal and the reports, also after an interruption."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import adjudge
from adjudge.errors import InputError, JudgeUnusableError, ReportError, RunError, RunStoppedError
from adjudge.extension.hooks import RunFinished
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.protocols import ReportedCase, RunReport
from adjudge.extension.secrets import Secrets
from adjudge.journal.locations import journal_path
from adjudge.journal.run_journal import Journal
from adjudge.model.base import canonical_sha256
from adjudge.model.result import CaseResult, RunInfo, RunSummary
from adjudge.model.verdict import Status, Verdict
from adjudge.runner.engine import Engine, Watch
from adjudge.runner.journal_views import keep_info, record_of, reported_cases
from adjudge.runner.old_reports import OldReports
from adjudge.runner.plan import Plan, Unit
from adjudge.runner.reports import keep_summary, report_of, summary_of, write_outputs
from adjudge.runner.request import kept
from adjudge.runner.simulated_ends import SimulatedEnds


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The result of a run. The cases stay in the journal and are read on access."""

    name: str
    journal: Path
    summary: RunSummary
    warnings: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()
    """The reports that were written."""

    @property
    def status(self) -> Status:
        """The worst status of all cases; the order is FAIL, ``error``, UNSURE, PASS."""
        return self.summary.status

    @property
    def verdict(self) -> Verdict | None:
        """The status if it is a verdict (PASS, FAIL or UNSURE); else ``None``."""
        return self.summary.verdict

    @property
    def passed(self) -> bool:
        """Whether the status is PASS. Cases that could not be measured or decided prevent this."""
        return self.summary.status == "PASS"

    @property
    def exit_status(self) -> int:
        """The exit status: 0 all passed, 1 a failure, 3 no failure but a result that is an error or undecided."""
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
        """Every result with its case and the agent's trajectory."""
        with Journal.open_to_read(self.journal) as journal:
            yield from reported_cases(journal)


async def begun(plan: Plan, old: OldReports, path: Path, watch: Watch | None) -> RunResult:
    """Create the journal of a new run, and execute the run."""
    async with beginning(plan):
        records, eval_ids = plan.source.records()
        journal = Journal.create(
            path,
            {
                "request": kept(plan.request),
                "plan": plan.document(),
                "decided_once": plan.host.decided_once,
                **records,
                "run": _info(path.stem, plan).model_dump(mode="json"),
                "warnings": _masked(plan.warnings),
            },
            eval_ids,
        )
    with journal:
        old.remove()
        units, total = plan.source.units(journal, resuming=False)
        return await finished(plan, journal, units, total, watch)


async def finished(
    plan: Plan, journal: Journal, units: AsyncIterator[Unit], total: int | None, watch: Watch | None
) -> RunResult:
    """Execute the remaining units, and write the reports; after an interruption report the finished part."""
    started, name = time.perf_counter(), journal.path.stem
    engine = Engine(plan, journal, run=name, watch=watch)
    ends = SimulatedEnds()
    try:
        async with plugin_loops():
            try:
                plan.judges.open(journal)
                await engine.run(units, total)
            except JudgeUnusableError as error:
                raise RunError(
                    f"{error}\n  Finished results are safe. After fixing this, continue with: adjudge resume {name}"
                ) from error
            finally:
                await plan.judges.aclose()
                if (trouble := await plan.source.aclose()) is not None:
                    plan.host.extensions.warn(trouble)
                plan.judges.keep_calls()
        _keep_end(journal, plan, started, finished_at=_now())
    except BaseException as error:
        # Report the results so far without a verdict, then raise the error.
        with suppress(Exception):
            _keep_end(journal, plan, started, finished_at=None)
            _keep_warnings(journal, plan, ends)
        with suppress(Exception):
            write_outputs(report_of(journal, summary_of(journal)), plan.outputs, plan.host)
        if isinstance(error, InputError) and not engine.began:
            raise
        if isinstance(error, InputError | RunError) and not isinstance(error.__cause__, JudgeUnusableError):
            raise RunStoppedError(str(error)) from error
        raise
    summary = summary_of(journal, ends)
    keep_summary(journal, summary)
    _keep_warnings(journal, plan, ends)
    report = report_of(journal, summary)
    failures = write_outputs(report, plan.outputs, plan.host)
    plan.observers.notify(RunFinished(run=name, summary=summary))
    # Store warnings again: an observer of the last event may have raised.
    warnings = _keep_warnings(journal, plan, ends)
    written = tuple(output for output in plan.outputs if output not in failures)
    result = RunResult(name=name, journal=journal.path, summary=summary, warnings=warnings, written=written)
    if failures:
        raise ReportError(list(failures.values()), result)
    return result


def _keep_end(journal: Journal, plan: Plan, started: float, *, finished_at: str | None) -> None:
    """Store the end of the run, its duration and its participants."""
    keep_info(
        journal,
        finished_at=finished_at,
        duration=round(record_of(journal).run.duration + time.perf_counter() - started, 3),
        plugins=plan.host.participants.listed(),
    )


@asynccontextmanager
async def beginning(plan: Plan) -> AsyncGenerator[None]:
    """Close the agent of the plan if the code inside raises."""
    try:
        yield
    except BaseException:
        await plan.source.aclose()
        raise


def _keep_warnings(journal: Journal, plan: Plan, ends: SimulatedEnds) -> tuple[str, ...]:
    told = (*plan.warnings, *plan.host.extensions.warnings, *plan.judges.warnings, *ends.warnings())
    warnings = _masked(dict.fromkeys(told))
    journal.set_meta({"warnings": warnings})
    return warnings


def _masked(warnings: Iterable[str]) -> tuple[str, ...]:
    """The warnings with masked keys: the exceptions of plugins in them may contain some."""
    return tuple(map(Secrets().masked, warnings))


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
    """The path of the journal of a new run: in ``folder``, or in the folder of runs.

    If ``run`` is ``None``, the name is made from the time.

    Raises:
        InputError: the name is invalid.
    """
    return journal_path(run or f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}", folder)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
