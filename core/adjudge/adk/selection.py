"""Parses arguments that select eval sets: ``FILE``, ``FILE:id1,id2``, or a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from adjudge.errors import InputError, Problem
from adjudge.model.printable import writable

EVAL_SET_SUFFIX = ".evalset.json"
"""The suffix of ADK's eval-set files, after the id."""

_PATTERNS = ("*.test.json", f"*{EVAL_SET_SUFFIX}")


def split_selection(argument: str) -> tuple[Path, tuple[str, ...] | None]:
    """Split ``FILE:id1,id2`` into the file and the ids; ``None`` for the ids means all cases.

    If the whole argument is an existing path, a colon in it is part of the path.


    Raises:
        InputError: there are no ids after the colon.
    """
    path = Path(argument)
    file, colon, names = argument.rpartition(":")
    if not colon or not file or _exists(path):
        return path, None
    # Ids may contain colons too: the file is the longest existing path before a colon.
    for end in (i for i in range(len(argument) - 1, 0, -1) if argument[i] == ":"):
        if _exists(Path(argument[:end])):
            file, names = argument[:end], argument[end + 1 :]
            break
    ids = tuple(name.strip() for name in names.split(",") if name.strip())
    if not ids:
        raise InputError(
            Problem(what="no case is named after the colon.", file=file, hint="Write FILE:id1,id2 or FILE.")
        )
    return Path(file), ids


def eval_sets_by_id(agent: Path) -> dict[str, Path]:
    """The eval sets in an agent's folder by their ids, as in ``adk eval``: files named ``ID.evalset.json``.

    Args:
        agent: The folder of the agent, or a file in it.
    """
    folder = agent if agent.is_dir() else agent.parent
    return {file.name.removesuffix(EVAL_SET_SUFFIX): file for file in folder.glob(f"*{EVAL_SET_SUFFIX}")}


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def check_name(path: Path) -> None:
    """Check that the name of a file is UTF-8: a journal or a report could not contain it otherwise.

    Raises:
        InputError: the name is not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        what = "the name of this file is not UTF-8, so that no report can name it"
        raise InputError(Problem(what=what, file=writable(str(path)), hint="Rename it.")) from None


def find_eval_sets(
    path: Path, patterns: Iterable[str] = _PATTERNS, below: Iterable[Path] | None = None
) -> list[Path]:
    """Find the eval sets below a folder, sorted; for a file, the file itself.

    Args:
        path: The folder, or the file.
        patterns: Glob patterns of their names.
        below: The result of ``files_below``, if it is known.

    Raises:
        InputError: the folder has none.
    """
    if not path.is_dir():
        return [path]
    patterns = tuple(patterns)
    found = sorted(
        file
        for file in (files_below(path) if below is None else below)
        if any(fnmatchcase(file.name, pattern) for pattern in patterns) and file.is_file()
    )
    if not found:
        raise InputError(
            Problem(
                what=f"no file below this folder is named {' or '.join(patterns)}.",
                file=str(path),
                hint="Names that begin with a dot and virtual environments are skipped.",
            )
        )
    return found


def files_below(folder: Path) -> Iterator[Path]:
    """Iterate over the files below a folder, including links to files.

    Names that begin with a dot and virtual environments are left out. Links to folders are not followed.

    Raises:
        InputError: a folder cannot be read; otherwise its files would be missing without notice.
    """
    for root, folders, files in os.walk(folder, onerror=_refuse):
        here = Path(root)
        folders[:] = [
            name for name in folders if not name.startswith(".") and not (here / name / "pyvenv.cfg").exists()
        ]
        yield from (here / name for name in files if not name.startswith("."))


def _refuse(error: OSError) -> None:
    raise InputError(
        Problem(
            what=f"the folder cannot be read: {error.strerror}",
            file=str(error.filename),
            hint="Make it readable, or name the files to read.",
        )
    ) from error
