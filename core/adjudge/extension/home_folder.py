"""The folder in which adjudge stores its data."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from adjudge.errors import InputError, Problem


def home() -> Path:
    """The folder ``$ADJUDGE_HOME`` (with ``~`` expanded), or ``.adjudge`` in the working folder.

    Raises:
        InputError: there is no user for ``~NAME``.
    """
    configured = os.environ.get("ADJUDGE_HOME")
    if not configured:
        return Path.cwd() / ".adjudge"
    try:
        return Path.cwd() / Path(configured).expanduser()
    except RuntimeError:
        raise InputError(Problem(what=f"ADJUDGE_HOME is {configured!r}, and there is no such user")) from None


def make_folder(folder: Path) -> None:
    """Create a folder for stored data below ``home()``, readable only by the user and ignored by git.

    An existing folder named by ``ADJUDGE_HOME`` keeps its permissions, because it may contain other files.

    Raises:
        OSError: it cannot be created.
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
            with contextlib.suppress(OSError):  # the file system may have no permissions
                place.chmod(0o700)
            ignore.write_text("# Made by adjudge: results and replies are not for version control.\n*\n")
    folder.mkdir(parents=True, exist_ok=True)
