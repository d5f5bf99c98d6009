"""``adjudge runs``: list and show runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.listing import json_option, say_document
from adjudge.cli.run_command import ended, report_options, show_report
from adjudge.extension.terminal import say

_NAMED: Final = 3
"""Logs of a run that the list names."""


@click.group("runs", cls=CommandGroup)
def runs_command() -> None:
    """List and show runs, finished or not."""


@runs_command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the runs of this folder, the oldest first."""
    from adjudge.journal.locations import runs_folder

    rows = [_row(path) for path in sorted(runs_folder().glob("*.sqlite3"), key=_changed)]
    if as_json:
        say_document(rows)
        return
    if not rows:
        say(f"no runs in {runs_folder()}")
    for row in rows:
        done = f"{row['done']}/{'?' if row['total'] is None else row['total']}"
        said = f"{row['name']}  {row['state']:<11}  {done:>9}  {row['started_at'] or '':<24}"
        say(f"{said}  {row['agent'] or _in_short(row['logs'])}")
        if row["problem"]:
            say(f"warning: {row['problem']}", err=True)


def _in_short(logs: list[str]) -> str:
    """Logs by name, in one line."""
    more = f" and {len(logs) - _NAMED} more" if len(logs) > _NAMED else ""
    return ", ".join(logs[:_NAMED]) + more


def _changed(path: Path) -> float:
    """When it was changed last; 0 where that cannot be said, as of a link that leads nowhere."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _row(path: Path) -> dict[str, Any]:
    from adjudge.errors import RunError
    from adjudge.journal.run_journal import Journal
    from adjudge.runner.journal_views import planned_count, record_of

    row: dict[str, Any] = {
        "name": path.stem,
        "state": "unreadable",
        "done": 0,
        "total": 0,
        "started_at": None,
        "agent": "",
        "logs": [],
        "problem": None,
    }
    try:
        with Journal.open_to_read(path) as journal, journal.reading():
            record = record_of(journal)
            run = record.run
            return {
                **row,
                "state": "finished" if run.finished_at else "unfinished",
                "done": journal.count(),
                "total": planned_count(journal),
                "started_at": run.started_at,
                "agent": "" if run.agent is None else run.agent["target"],
                "logs": [] if record.logs is None else [log.source for log in record.logs.logs],
            }
    except RunError as error:
        return {**row, "problem": str(error)}


@runs_command.command("show")
@click.argument("name")
@report_options
@click.pass_obj
def show_command(no_plugins: tuple[str, ...], name: str, outputs: tuple[Path, ...], detailed: bool) -> int:
    """Show the report of the run NAME, as far as it got, or write it with --output.

    The exit status is that of the run; of one that was interrupted it is 1 or 3, never 0.
    """
    from adjudge.extension.project import project_extensions
    from adjudge.journal.locations import journal_path
    from adjudge.journal.run_journal import Journal
    from adjudge.runner.host import RunHost
    from adjudge.runner.journal_views import record_of
    from adjudge.runner.problems import Problems
    from adjudge.runner.reports import check_not_read, check_outputs, report_of, summary_of, write_outputs

    extensions = project_extensions(Path.cwd(), disable=no_plugins)
    host = RunHost(extensions, Path.cwd())
    problems = Problems()
    check_outputs(outputs, extensions, problems)
    path = journal_path(name)
    with Journal.open_to_read(path) as journal:
        check_not_read(outputs, [path, *record_of(journal).read()], problems)
        problems.raise_any()
        report = report_of(journal, summary_of(journal), detailed=detailed)
        unwritten = write_outputs(report, outputs, extensions, host)
        unprinted = None if outputs else show_report(report, extensions)
    return ended(report.summary.exit_status, *unwritten, unprinted)
