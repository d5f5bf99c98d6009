"""Reports on the screen, and what is said where none can be made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from adjudge.cli.exits import UNMEASURED
from adjudge.extension.terminal import OutputError, flush_output, say, standard_output

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.protocols import Host
    from adjudge.model.result import JudgeCalls


def say_stopped(judges: Mapping[str, JudgeCalls]) -> None:
    """Say on stderr which judges were not asked any more, and why: the report may be read by nobody."""
    for reason in dict.fromkeys(calls.stopped for calls in judges.values() if calls.stopped is not None):
        say(f"warning: {reason}", err=True)


_ResultT = TypeVar("_ResultT")


def reported(run: Callable[[], _ResultT]) -> tuple[_ResultT, str | None]:
    """Run to the end; returns the result, and a message where a report of it could not be written."""
    from adjudge.errors import ReportError

    try:
        return run(), None
    except ReportError as error:
        return error.result, str(error)


def ended(status: int, *unwritten: str | None) -> int:
    """Print why reports could not be written, and return the exit status of the command.

    A missing report never hides a failure, and without it the run does not count as passed: 3 instead of 0.
    """
    missing = [each for each in unwritten if each is not None]
    for each in missing:
        say(f"error: {each}", err=True)
    return status or UNMEASURED if missing else status


def print_report(
    show: Callable[[BinaryIO, Extensions, Host], None], extensions: Extensions, *, otherwise: str
) -> str | None:
    """Print what ``show`` writes; ``otherwise`` alone where the console reporter is disabled or missing.

    Returns:
        Why it could not be printed.
    """
    from adjudge.errors import AdjudgeError
    from adjudge.runner.host import RunHost
    from adjudge.runner.reports import console

    try:
        console(extensions)
    except AdjudgeError as error:
        say(f"warning: {error}", err=True)
        say(otherwise)
        return None
    try:
        flush_output()
        show(standard_output().buffer, extensions, RunHost(extensions, Path.cwd()))
        flush_output()
    except BrokenPipeError:
        raise
    except (OSError, OutputError) as error:
        return str(error if isinstance(error, OutputError) else OutputError(error))
    except AdjudgeError as error:
        return f"the report could not be printed: {error}"
    return None
