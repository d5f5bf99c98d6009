"""Shared code of commands that run something: options, progress, the report on the terminal, and the exit status."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.exits import UNMEASURED
from adjudge.extension.terminal import OutputError, flush_output, say, standard_output
from adjudge.runner.request import DEFAULT_CONCURRENCY, DEFAULT_SCORING_TIMEOUT, DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.protocols import RunReport
    from adjudge.runner.engine import Watch
    from adjudge.runner.execution import RunResult

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])

_SECONDS = click.FloatRange(min=0, min_open=True)


def run_and_show(
    start: Callable[[Extensions, Watch], Coroutine[Any, Any, RunResult]],
    *,
    no_plugins: tuple[str, ...],
    detailed: bool = False,
) -> int:
    """Run an evaluation with progress on a terminal, print its report, and return the exit status of the command.

    After Ctrl-C it prints how to resume the run and returns 130.

    Args:
        start: Begins the run with the plugins, telling the watch every event: ``adjudge.evaluate`` and the like.
        no_plugins: What ``--no-plugin`` names: the object of click's context.
        detailed: Whether every turn is printed.
    """
    from adjudge.cli.live import run_to_end
    from adjudge.errors import AdjudgeError, ReportError
    from adjudge.extension.project import project_extensions
    from adjudge.journal.run_journal import Journal
    from adjudge.runner.reports import report_of

    folder = Path.cwd()  # an agent may change it
    extensions = project_extensions(folder, disable=no_plugins)
    unwritten: str | None = None
    result: RunResult
    try:
        result = run_to_end(partial(start, extensions))
    except ReportError as error:
        result, unwritten = error.result, str(error)
    try:
        with Journal.open_to_read(result.journal) as journal:
            unprinted = show_report(report_of(journal, result.summary, detailed=detailed), extensions)
    except AdjudgeError as error:  # the run is over: whatever is wrong with its journal now is no wrong usage
        unprinted = str(error)
    say_written(result.written, folder)
    # On standard error: the report may be read by nobody.
    for reason in dict.fromkeys(calls.stopped for calls in result.summary.judges.values() if calls.stopped):
        say(f"warning: {reason}", err=True)
    return ended(result.exit_status, unwritten, unprinted)


def show_report(report: RunReport, extensions: Extensions) -> str | None:
    """Print a report; the verdict alone where the console reporter is disabled or broken.

    Returns:
        Why it could not be printed.
    """
    from adjudge.errors import AdjudgeError
    from adjudge.runner.host import RunHost
    from adjudge.runner.reports import console, show

    try:
        console(extensions)
    except AdjudgeError as error:
        say(f"warning: {error}", err=True)
        say(f"{report.summary.status}  run {report.run.name}")
        return None
    try:
        flush_output()
        show(report, standard_output().buffer, RunHost(extensions, Path.cwd()))
        flush_output()
    except BrokenPipeError:
        raise
    except (OSError, OutputError) as error:
        return str(error if isinstance(error, OutputError) else OutputError(error))
    except AdjudgeError as error:
        return f"the report could not be printed: {error}"
    return None


def say_written(outputs: Iterable[Path], folder: Path) -> None:
    """Print the reports that were written, below the report on the terminal; those in ``folder`` relative to it."""
    for output in outputs:
        say(f"wrote {output.relative_to(folder) if output.is_relative_to(folder) else output}")


def ended(status: int, *unwritten: str | None) -> int:
    """Print why reports could not be written, and return the exit status of the command.

    A missing report never hides a failure, and without it the run does not count as passed: 3 instead of 0.
    """
    missing = [each for each in unwritten if each is not None]
    for each in missing:
        say(f"error: {each}", err=True)
    return status or UNMEASURED if missing else status


def _with(command: _CommandT, *options: Callable[[_CommandT], _CommandT]) -> _CommandT:
    """A command with options, in the order in which its help lists them."""
    for option in reversed(options):
        command = option(command)
    return command


def time_limit_options(limited: str, scored: str) -> Callable[[_CommandT], _CommandT]:
    """The options that bound a run in time.

    Args:
        limited: What ``--timeout`` bounds, for the help: "a case".
        scored: What a criterion is measured on: "case".
    """
    return lambda command: _with(
        command,
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=_SECONDS,
            default=DEFAULT_TIMEOUT,
            show_default=True,
            help=f"How long {limited} may take.",
        ),
        click.option(
            "--scoring-timeout",
            metavar="SECONDS",
            type=_SECONDS,
            default=DEFAULT_SCORING_TIMEOUT,
            show_default=True,
            help=f"How long a criterion may take on a {scored}, without waiting for judges; inf for no limit.",
        ),
    )


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
    return _with(
        command,
        click.option("--record", metavar="FILE", help="Record the calls to judges in a new file."),
        click.option("--no-cache", is_flag=True, help="Do not reuse the judges' answers from earlier runs."),
    )


def name_option(command: _CommandT) -> _CommandT:
    """The name of the run."""
    return click.option(
        "--run", metavar="NAME", help="The name of the run; default: generated from the time."
    )(command)


class _OutputOption(click.Option):
    """``--output``: its help names the endings of the reporters that are installed."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from adjudge.extension.commands import report_endings

        endings = ", ".join(report_endings())
        self.help = f"Write a report; its suffix decides the format: {endings} (repeatable)."
        return super().get_help_record(ctx)


def report_options(command: _CommandT) -> _CommandT:
    """The options of every command that ends with a report."""
    return _with(
        command,
        click.option(
            "--print_detailed_results",
            "--print-detailed-results",
            "detailed",
            is_flag=True,
            help="Show everything in full: every turn of a case, every verdict on a log.",
        ),
        click.option(
            "--output",
            "outputs",
            metavar="FILE",
            multiple=True,
            type=click.Path(path_type=Path),
            cls=_OutputOption,
        ),
    )


def budget_options(command: _CommandT) -> _CommandT:
    """The options of every command that may ask judges."""
    return _with(
        command,
        click.option("--max-judge-calls", metavar="N", type=int, help="Maximum number of calls to judges."),
        click.option(
            "--max-cost", metavar="USD", type=float, help="Maximum cost of the judges; needs adjudge[prices]."
        ),
    )
