"""Imports modules that the user named from the working folder.

The folder stands last on ``sys.path``. Otherwise ``rouge_score.py`` in a folder that came along would replace
the library of that name, and a ``*.dist-info`` there would be an installed plugin.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

_IMPORTED_FROM: Final[set[str]] = {""}
"""Entries of ``sys.path`` that hold agents and nothing that is installed; ``""`` is the working folder of
an interactive Python."""


def import_from(folder: Path, module: str) -> ModuleType:
    """Import a module of ``folder``, else of what is installed.

    ``folder`` stays on ``sys.path``, as its last entry: the module may import its neighbours later.

    Raises:
        ImportError: this process has another module of that name, which would be taken instead.
        BaseException: whatever the module raises when it is imported.
    """
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        _IMPORTED_FROM.add(str(folder))
    importlib.invalidate_caches()
    finder = _OneModule(module.partition(".")[0], str(folder))
    finder.refuse_another()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(module)
    finally:
        sys.meta_path.remove(finder)


def installed_path() -> list[str]:
    """``sys.path`` without the folders of agents: where installed distributions are."""
    return [entry for entry in sys.path if entry not in _IMPORTED_FROM]


class _OneModule(MetaPathFinder):
    """Finds the one module that was asked for, in its folder before anywhere else."""

    def __init__(self, name: str, folder: str) -> None:
        self._name = name
        self._folder = folder

    def refuse_another(self) -> None:
        """Raise ``ImportError`` where other code of the same name was imported from elsewhere."""
        spec = self.find_spec(self._name, None)
        place = None if spec is None else spec.origin
        loaded = getattr(sys.modules.get(self._name), "__file__", None)
        if spec is None or place is None or loaded is None:
            return
        if not _has_same_code(Path(loaded), Path(place), is_package=bool(spec.submodule_search_locations)):
            raise ImportError(
                f"this process has imported a module named {self._name!r} from {loaded} already, and not from "
                f"{place}. Give one of them another name, or evaluate in another process",
                name=self._name,
            )

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name or path is not None:
            return None
        spec = PathFinder.find_spec(fullname, [self._folder], target)
        # A folder without __init__.py is a package only where nothing else has the name.
        return None if spec is None or spec.loader is None else spec


def _has_same_code(one: Path, other: Path, *, is_package: bool) -> bool:
    """Whether two files are one, or copies; of a package they say nothing of its other files."""
    if one.resolve() == other.resolve():
        return True
    return not is_package and one.is_file() and one.read_bytes() == other.read_bytes()
