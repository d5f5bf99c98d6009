"""Reports on the screen, and what is said where none can be made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import click

from adjudge.cli.exits import UNMEASURED

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.protocols import Host
    from adjudge.model.result import JudgeCalls


def say_stopped(judges: Mapping[str, JudgeCalls]) -> None:
    """Say on stderr which judges were not asked any more, and why: the report may be read by nobody."""
    from adjudge.reporting import clean  # the reason repeats what a server said

    for reason in dict.fromkeys(calls.stopped for calls in judges.values() if calls.stopped is not None):
        click.echo(f"warning: {clean(reason)}", err=True)


_ResultT = TypeVar("_ResultT")


def reported(run: Callable[[], _ResultT]) -> tuple[_ResultT, str | None]:
    """The result of ``run``, and what could not be written of it, in words."""
    from adjudge.errors import ReportError

    try:
        return run(), None
    except ReportError as error:
        return error.result, str(error)


def ended(status: int, unwritten: str | Sequence[str] | None) -> int:
    """The exit status of a run of which something may not have been written; that is said.

    A report that is missing never hides a failure, and a run is not passed without it.
    """
    if not unwritten:
        return status
    from adjudge.reporting import clean

    said = unwritten if isinstance(unwritten, str) else "\n".join(unwritten)
    click.echo(f"error: {clean(said)}", err=True)
    return status or UNMEASURED


def print_report(
    show: Callable[[BinaryIO, Extensions, Host], None], extensions: Extensions, *, otherwise: str
) -> None:
    """Print what ``show`` writes; ``otherwise`` alone where the console reporter is disabled or broken."""
    from adjudge.errors import AdjudgeError
    from adjudge.running.host import RunHost

    sys.stdout.flush()
    try:
        show(sys.stdout.buffer, extensions, RunHost(extensions, Path.cwd()))
    except AdjudgeError as error:
        click.echo(f"warning: {error}", err=True)
        click.echo(otherwise)
