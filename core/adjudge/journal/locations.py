"""Where runs and eval sets are stored."""

from __future__ import annotations

import re
from pathlib import Path

from adjudge.errors import InputError, Problem
from adjudge.extension.home_folder import home

_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


def runs_folder() -> Path:
    """The folder of the run journals."""
    return home() / "runs"


def eval_sets_folder() -> Path:
    """The folder of the eval sets that programs handed over as objects."""
    return home() / "eval-sets"


def journal_path(run: str, folder: Path | None = None) -> Path:
    """The journal of a run, in ``folder`` or else among the runs.

    Raises:
        InputError: the name could leave the folder, or is not a file name everywhere.
    """
    if not _RUN_NAME.match(run):
        raise InputError(
            Problem(
                what=f"{run!r} cannot name a run",
                hint="Use 1 to 100 letters, digits, '.', '_' and '-', beginning with a letter or a digit.",
            )
        )
    return (folder or runs_folder()) / f"{run}.sqlite3"
