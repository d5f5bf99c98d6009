"""Imports modules that the user named from the working folder.

The folder is the last entry of ``sys.path``. Otherwise a file ``rouge_score.py`` in an untrusted folder would replace
the library of that name, and a ``*.dist-info`` folder in it would be an installed plugin.
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
"""Entries of ``sys.path`` that contain agents, not installed distributions; ``""`` is the working folder of an
interactive Python."""


def import_from(folder: Path, module: str) -> ModuleType:
    """Import a module from ``folder``, or else from the installed packages.

    ``folder`` stays on ``sys.path`` as its last entry, because the module may later import other files of the folder.

    Raises:
        ImportError: this process has already imported another module of that name.
        BaseException: any exception that the module raises when it is imported.
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
    """The entries of ``sys.path`` with installed distributions, without the folders of agents."""
    return [entry for entry in sys.path if entry not in _IMPORTED_FROM]


class _OneModule(MetaPathFinder):
    """Finds one module, in a given folder before all other places."""

    def __init__(self, name: str, folder: str) -> None:
        self._name = name
        self._folder = folder

    def refuse_another(self) -> None:
        """Raise ``ImportError`` if different code of the same name was imported from elsewhere."""
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
        # A folder without __init__.py (a namespace package) has lower priority than any other module of the name.
        return None if spec is None or spec.loader is None else spec


def _has_same_code(one: Path, other: Path, *, is_package: bool) -> bool:
    """Whether two files are the same file, or equal copies; copies of packages may differ in their other files."""
    if one.resolve() == other.resolve():
        return True
    return not is_package and one.is_file() and one.read_bytes() == other.read_bytes()
