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
    """The folder of eval sets that programs passed as objects."""
    return home() / "eval-sets"


def journal_path(run: str, folder: Path | None = None) -> Path:
    """The path of a run's journal, in ``folder`` or else in the folder of runs.

    Raises:
        InputError: the name is not valid: it may not contain path separators, or characters that some systems reject.
    """
    if not _RUN_NAME.match(run):
        raise InputError(
            Problem(
                what=f"{run!r} cannot name a run",
                hint="Use 1 to 100 letters, digits, '.', '_' and '-', beginning with a letter or a digit.",
            )
        )
    return (folder or runs_folder()) / f"{run}.sqlite3"
