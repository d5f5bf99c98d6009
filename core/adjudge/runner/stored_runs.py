"""Stored runs: lists, reads, reports and deletes them, for the command line and for pages."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from adjudge.errors import RunError
from adjudge.extension.loader import Extensions
from adjudge.extension.project import project_extensions
from adjudge.extension.protocols import RunReport
from adjudge.journal.journal_file import delete_journal
from adjudge.journal.locations import journal_path, runs_folder
from adjudge.journal.run_journal import Journal
from adjudge.model.result import RunSummary
from adjudge.model.verdict import Status
from adjudge.runner.host import RunHost
from adjudge.runner.journal_views import planned_count, record_of, repeats_of_case
from adjudge.runner.problems import Problems
from adjudge.runner.reports import (
    check_not_read,
    check_outputs,
    known_status_of,
    known_summary_of,
    output_paths,
    report_of,
    write_outputs,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One entry in a list of runs; its results are not read."""

    name: str
    state: Literal["finished", "unfinished", "unreadable"] = "unreadable"
    status: Status | None = None
    """The status of a finished run as a whole; ``None`` if it is not finished."""
    done: int = 0
    """The number of repeats of cases, or of runs in logs, that have a result."""
    total: int | None = 0
    """The planned number of such results; ``None`` until all logs are read to their end."""
    started_at: str | None = None
    """ISO 8601, UTC."""
    agent: str = ""
    """The agent's target; empty for a run over logs."""
    logs: tuple[str, ...] = ()
    problem: str | None = None
    """Why the run cannot be read; ``None`` if it can."""
    eval_sets: tuple[str, ...] = ()
    """The files, as the user wrote them."""
    criteria: dict[str, float | None] = field(default_factory=dict[str, float | None])
    """The threshold of each criterion by its name; ``None``: informational."""
    cost: float | None = None
    """The cost of judges in USD; ``None`` if no judge was called or a price is unknown."""
    duration: float = 0.0
    """Seconds, over all resumptions."""


def list_runs() -> list[StoredRun]:
    """List the runs of this folder by their last change. An unreadable run is included, with the reason."""
    return [_stored(path) for path in sorted(runs_folder().glob("*.sqlite3"), key=_changed)]


@contextmanager
def read_run(
    name: str,
    *,
    detailed: bool = False,
    baseline: str | None = None,
    case: int | None = None,
    summary: RunSummary | None = None,
) -> Generator[RunReport]:
    """Open a stored run, finished or not, as the ``RunReport`` that reporters receive. Read its cases in the context.

    Args:
        name: The run's name.
        detailed: Whether the reporter should show every turn.
        baseline: The name of an earlier run to compare it with.
        case: If given, only the repeats of this case are read: its index in the plan, or of a run in the logs, from 0.
        summary: The summary if it is known; otherwise it is taken from the journal, or computed from all results.

    Raises:
        RunError: there is no such run or case, or its journal is damaged.
        InputError: the name is not a valid name of a run.
    """
    with Journal.open_to_read(journal_path(name)) as journal:
        known = known_summary_of(journal) if summary is None else summary
        report = report_of(journal, known, detailed=detailed)
        if case is not None:
            repeats = repeats_of_case(journal, case)
            report = replace(report, cases=lambda: iter(repeats))
        with _compared(report, baseline) as compared:
            yield compared


@contextmanager
def _compared(report: RunReport, baseline: str | None) -> Generator[RunReport]:
    if baseline is None:
        yield report
        return
    with read_run(baseline) as earlier:
        yield replace(report, baseline=earlier)


def write_reports(
    name: str,
    outputs: str | Path | Sequence[str | Path],
    *,
    detailed: bool = False,
    baseline: str | None = None,
    extensions: Extensions | None = None,
) -> tuple[RunSummary, tuple[str, ...]]:
    """Write reports of a run; of an unfinished run, with the results so far.

    Args:
        name: The run's name.
        outputs: Report files to write, one or several; the ending of the name decides the format.
        detailed: Whether the report should show every turn.
        baseline: The name of an earlier run to compare it with.
        extensions: Loaded plugins; otherwise those of this environment.

    Returns:
        The summary of the run, and a message for each file that could not be written.

    Raises:
        RunError: there is no such run, or its journal is damaged.
        InputError: a file cannot be written, or no reporter writes such files.
    """
    summary, unwritten = write_files(
        name,
        output_paths(outputs),
        detailed=detailed,
        baseline=baseline,
        extensions=extensions,
    )
    return summary, tuple(unwritten.values())


def write_files(
    name: str,
    paths: Sequence[Path],
    *,
    detailed: bool = False,
    baseline: str | None = None,
    extensions: Extensions | None = None,
) -> tuple[RunSummary, dict[Path, str]]:
    """Write reports of a run as ``write_reports`` does, and return the messages by file."""
    known = extensions or project_extensions(Path.cwd())
    problems = Problems()
    check_outputs(paths, known, problems)
    path = journal_path(name)
    with Journal.open_to_read(path) as journal:
        check_not_read(paths, [path, *record_of(journal).read()], problems)
        problems.raise_any()
        report = report_of(journal, known_summary_of(journal), detailed=detailed)
        with _compared(report, baseline) as compared:
            return report.summary, write_outputs(compared, paths, RunHost(known, Path.cwd()))


def delete_run(name: str) -> None:
    """Delete the journal of a run. Answers of judges stay in the shared cache.

    Raises:
        RunError: there is no such run, another process is writing it, or it cannot be deleted.
        InputError: the name is not a valid name of a run.
    """
    delete_journal(journal_path(name))


def _changed(path: Path) -> float:
    """The time of the last change; 0 if it cannot be read, for instance for a broken link."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _stored(path: Path) -> StoredRun:
    try:
        with Journal.open_to_read(path) as journal, journal.reading():
            record = record_of(journal)
            run = record.run
            rules = [rule for file in record.files for rule in file.rules]
            rules += () if record.logs is None else record.logs.rules
            costs = [calls.cost for calls in record.judges.values() if calls.calls]
            known = [cost for cost in costs if cost is not None]
            return StoredRun(
                name=path.stem,
                state="finished" if run.finished_at else "unfinished",
                status=known_status_of(journal),
                done=journal.count(),
                total=planned_count(journal),
                started_at=run.started_at,
                agent="" if run.agent is None else run.agent["target"],
                logs=() if record.logs is None else tuple(log.source for log in record.logs.logs),
                eval_sets=tuple(file.path for file in record.files),
                criteria={rule.criterion_name: rule.threshold for rule in rules},
                cost=sum(known) if known and len(known) == len(costs) else None,
                duration=run.duration,
            )
    except RunError as error:
        return StoredRun(name=path.stem, problem=str(error))
