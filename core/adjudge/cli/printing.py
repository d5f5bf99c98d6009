"""Reports on the screen, and what is said where none can be made."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.protocols import Host


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
