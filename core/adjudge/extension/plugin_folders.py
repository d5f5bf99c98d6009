"""Folders of plugins without packaging. Only the user can name them, not a file that came with an agent or a log."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from adjudge.errors import InputError, Problem
from adjudge.extension.candidates import Candidate, unloadable
from adjudge.extension.user_configuration import user_file, user_folders

VARIABLE: Final = "ADJUDGE_PLUGIN_FOLDERS"
"""The environment variable with the folders, separated as in ``PATH``."""
_PREFIX: Final = "folder:"


def folder_plugins() -> list[Candidate]:
    """Find the plugins in the folders named by the environment, an option or the user's own configuration.

    A module ``my_words.py``, or a package ``my_words/``, is the plugin ``my-words``. Its version is the hash of its
    code, so that a run can only be resumed with the same code. A missing folder becomes a plugin that fails to load.
    """
    folders = dict.fromkeys(folder.absolute() for folder in _named())
    return [candidate for folder in folders for candidate in _plugins_of(folder)]


def is_folder(distribution: str) -> bool:
    """Whether a plugin of that distribution comes from a folder."""
    return distribution.startswith(_PREFIX)


@contextmanager
def more_folders(folders: Iterable[Path]) -> Generator[None]:
    """A context with additional folders for this process and the processes that it starts.

    Raises:
        InputError: a path contains the separator of folders in the environment variable.
    """
    before = os.environ.get(VARIABLE)
    named = [str(folder.absolute()) for folder in folders]
    for name in named:
        if os.pathsep in name:
            what = f"a folder of plugins cannot have {os.pathsep!r} in its path, which separates folders"
            raise InputError(Problem(what=what, file=name, hint="Rename it, or name a link to it."))
    os.environ[VARIABLE] = os.pathsep.join([*named, *filter(None, [before])])
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _named() -> Iterator[Path]:
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        yield Path(name).expanduser()
    try:
        file = user_file()
        is_there = file.is_file()
    except (OSError, RuntimeError):  # the user has no home folder
        return
    if is_there:
        for name in user_folders(file):
            yield file.parent / Path(name).expanduser()


def _plugins_of(folder: Path) -> Iterator[Candidate]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        reason = f"the folder {folder} of plugins cannot be read: {error.strerror}"
        yield unloadable(folder.name or "folder", f"{_PREFIX}{folder.name}", "unknown", reason)
        return
    for path in found:
        is_package = (path / "__init__.py").is_file()
        if path.name[0] not in "_." and (is_package or path.suffix == ".py"):
            files = sorted(path.rglob("*.py")) if is_package else [path]
            yield Candidate(
                name=path.stem.replace("_", "-"),
                module=path.stem,
                distribution=f"{_PREFIX}{folder.name}",
                version=_hash_of(files),
                load=partial(_load, folder, path.stem),
            )


def _load(folder: Path, module: str) -> object:
    from adjudge.extension.importing import import_from

    return import_from(folder, module)


def _hash_of(files: Iterable[Path]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for file in files:
        try:
            digest.update(file.read_bytes())
        except OSError:
            continue  # importing the file will report the problem
    return digest.hexdigest()[:12]
