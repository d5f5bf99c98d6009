"""``adjudge runs``: list, show and delete runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.listing import json_option, say_document
from adjudge.cli.run_command import ended, report_options, say_written, show_report
from adjudge.extension.terminal import say

_NAMED: Final = 3
"""Logs of a run that the list names."""


@click.group("runs", cls=CommandGroup)
def runs_command() -> None:
    """List, show and delete runs, finished or not."""


@runs_command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the runs of this folder, the one that changed last at the end."""
    from adjudge.journal.locations import runs_folder
    from adjudge.runner.stored_runs import list_runs

    runs = list_runs()
    if as_json:
        say_document([asdict(run) for run in runs])
        return
    if not runs:
        say(f"no runs in {runs_folder()}")
    for run in runs:
        done = f"{run.done}/{'?' if run.total is None else run.total}"
        said = f"{run.name}  {run.state:<11}  {run.status or '':<6}  {done:>9}  {run.started_at or '':<24}"
        say(f"{said}  {run.agent or _in_short(run.logs)}")
        if run.problem:
            say(f"warning: {run.problem}", err=True)


def _in_short(logs: Sequence[str]) -> str:
    """Logs by name, in one line."""
    more = f" and {len(logs) - _NAMED} more" if len(logs) > _NAMED else ""
    return ", ".join(logs[:_NAMED]) + more


@runs_command.command("show")
@click.argument("name")
@report_options
@click.option("--baseline", metavar="RUN", help="An earlier run: show what changed since.")
@click.pass_obj
def show_command(
    no_plugins: tuple[str, ...], name: str, outputs: tuple[Path, ...], detailed: bool, baseline: str | None
) -> int:
    """Show the report of the run NAME, as far as it got; --output also writes it to a file.

    The exit status is that of the run; of one that was interrupted it is 1 or 3, never 0.
    """
    from adjudge.extension.project import project_extensions
    from adjudge.runner.stored_runs import read_run, write_files

    extensions = project_extensions(Path.cwd(), disable=no_plugins)
    summary, unwritten = None, dict[Path, str]()
    if outputs:
        summary, unwritten = write_files(
            name, outputs, detailed=detailed, baseline=baseline, extensions=extensions
        )
    with read_run(name, detailed=detailed, baseline=baseline, summary=summary) as report:
        unprinted = show_report(report, extensions)
        say_written([path for path in outputs if path not in unwritten], Path.cwd())
        return ended(report.summary.exit_status, *unwritten.values(), unprinted)


@runs_command.command("delete")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def delete_command(names: tuple[str, ...]) -> None:
    """Delete runs, finished or not. Reports that were written stay, and so do cached answers of judges."""
    from adjudge.runner.stored_runs import delete_run

    for name in names:
        delete_run(name)
        say(f"deleted {name}")
