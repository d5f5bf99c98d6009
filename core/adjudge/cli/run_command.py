"""What commands that run something share: options, progress, the report on the screen, and the exit status."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.printing import ended, print_report, reported, say_stopped
from adjudge.cli.session import load_extensions

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.protocols import RunReport
    from adjudge.runner.engine import Watch
    from adjudge.runner.execution import RunResult

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])


def run_and_show(
    start: Callable[[Extensions, Watch], Coroutine[Any, Any, RunResult]],
    *,
    no_plugins: tuple[str, ...],
    detailed: bool = False,
) -> int:
    """Run something with progress on a terminal, print its report, and return the exit status of the command.

    After Ctrl-C it says how to go on and ends with 130.

    Args:
        start: Begins the run with the plugins, telling the watch every event: ``adjudge.evaluate`` and the like.
        no_plugins: What ``--no-plugin`` names: the object of click's context.
        detailed: Whether every turn is printed.
    """
    from adjudge.cli.live import run_to_end

    extensions = load_extensions(no_plugins)
    result, unwritten = reported(lambda: run_to_end(partial(start, extensions)))
    unprinted = _show_result(result, extensions, detailed=detailed)
    return ended(result.exit_status, unwritten, unprinted)


def report_options(command: _CommandT) -> _CommandT:
    """The options of every command that ends with a report."""
    command = click.option(
        "--output",
        "outputs",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="Write a report; its ending decides the kind: .json, .xml (repeatable).",
    )(command)
    return click.option(
        "--print_detailed_results",
        "--print-detailed-results",
        "detailed",
        is_flag=True,
        help="Show every turn: prompt, expected and actual response and calls, scores and reasons.",
    )(command)


def budget_options(command: _CommandT) -> _CommandT:
    """The options of every command that may ask judges."""
    command = click.option(
        "--max-cost", metavar="USD", type=float, help="What judges may cost; needs adjudge[prices]."
    )(command)
    return click.option(
        "--max-judge-calls", metavar="N", type=int, help="How many calls to judges may be made."
    )(command)


def _show_result(result: RunResult, extensions: Extensions, *, detailed: bool) -> str | None:
    """Print the report of a finished run; why that cannot be, where it cannot."""
    from adjudge.journal.run_journal import Journal
    from adjudge.runner.reports import report_of

    with Journal.open_to_read(result.journal) as journal:
        unprinted = show_report(report_of(journal, result.summary, detailed=detailed), extensions)
    say_stopped(result.summary.judges)
    return unprinted


def show_report(report: RunReport, extensions: Extensions) -> str | None:
    """Print a report; the verdict alone where the console reporter is disabled or broken.

    Returns:
        Why it could not be printed.
    """
    from adjudge.runner.reports import show

    said = f"{report.summary.status}  run {report.run.name}"
    return print_report(partial(show, report), extensions, otherwise=said)
