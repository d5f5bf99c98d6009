"""The folder where adjudge keeps what it stores."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from adjudge.errors import InputError, Problem


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
