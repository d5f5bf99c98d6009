"""Where adjudge keeps what it stores."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from adjudge.errors import InputError, Problem

_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


def home() -> Path:
    """``$ADJUDGE_HOME``, where ``~`` is the user's home, or ``.adjudge`` in the working folder.

    Raises:
        InputError: ``~NAME`` names no user.
    """
    configured = os.environ.get("ADJUDGE_HOME")
    if not configured:
        return Path.cwd() / ".adjudge"
    try:
        return Path.cwd() / Path(configured).expanduser()
    except RuntimeError:
        raise InputError(Problem(what=f"ADJUDGE_HOME is {configured!r}, and there is no such user")) from None


def make_folder(folder: Path) -> None:
    """Make a folder for something that is stored; below ``home()``, which nobody else reads and git ignores.

    A folder that the user made and named in ``ADJUDGE_HOME`` keeps its permissions: other things may be in it.

    Raises:
        OSError: it cannot be made.
    """
    place = home()
    if place == folder or place in folder.parents:
        try:
            place.mkdir(mode=0o700, parents=True)
            is_ours = True
        except FileExistsError:
            is_ours = not os.environ.get("ADJUDGE_HOME")
        ignore = place / ".gitignore"
        if is_ours and not ignore.exists():
            with contextlib.suppress(OSError):  # a file system without permissions
                place.chmod(0o700)
            ignore.write_text("# Made by adjudge: results and replies are not for version control.\n*\n")
    folder.mkdir(parents=True, exist_ok=True)


def runs_folder() -> Path:
    """The folder of the run journals."""
    return home() / "runs"


def eval_sets_folder() -> Path:
    """The folder of the eval sets that programs handed over as objects."""
    return home() / "eval-sets"


def journal_path(run: str) -> Path:
    """The journal of a run.

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
    return runs_folder() / f"{run}.sqlite3"
