"""What commands that run something share: options, progress, the report on the screen, and the exit status."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.printing import ended, print_report, reported, say_stopped
from adjudge.cli.session import load_extensions
from adjudge.runner.request import DEFAULT_CONCURRENCY, DEFAULT_SCORING_TIMEOUT, DEFAULT_TIMEOUT

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


def time_limit_options(limited: str, scored: str) -> Callable[[_CommandT], _CommandT]:
    """The options that bound a run in time.

    Args:
        limited: What ``--timeout`` bounds, for the help: "a case".
        scored: What a criterion is measured on: "case".
    """

    def add(command: _CommandT) -> _CommandT:
        command = click.option(
            "--scoring-timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True),
            default=DEFAULT_SCORING_TIMEOUT,
            show_default=True,
            help=f"How long a criterion may take on a {scored}, without what it waits for judges; inf for no limit.",
        )(command)
        return click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True),
            default=DEFAULT_TIMEOUT,
            show_default=True,
            help=f"How long {limited} may take.",
        )(command)

    return add


def concurrency_option(what: str) -> Callable[[_CommandT], _CommandT]:
    """How much goes on at a time; ``what`` that is, for the help: "Sessions with the agent that are open"."""
    return click.option(
        "--concurrency",
        metavar="N",
        type=click.IntRange(min=1),
        default=DEFAULT_CONCURRENCY,
        show_default=True,
        help=f"{what} at a time.",
    )


def answers_options(command: _CommandT) -> _CommandT:
    """Where the answers of judges go to, and come from."""
    command = click.option("--no-cache", is_flag=True, help="Ask judges anew what earlier runs have asked.")(
        command
    )
    return click.option("--record", metavar="FILE", help="Record the calls to judges in a new file.")(command)


def name_option(command: _CommandT) -> _CommandT:
    """The name of the run."""
    return click.option(
        "--run", metavar="NAME", help="The name of the run; made from the time where it is not given."
    )(command)


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
