"""Suggests a target for modules whose agent is not named, or not in Python's notation."""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path
from typing import Final

_LIKELY: Final = ("agent", "root_agent", "app", "main")
"""Common names of agent objects."""
_SHOWN: Final = 3


def hint_for_module(target: str, folder: Path) -> str | None:
    """Suggest targets in a module that is given as a file or without an object; ``None`` if there are none.

    The module is not imported: the names are parsed from the source.
    """
    path = Path(
        target.removesuffix(".py").replace(".", "/") if "/" not in target else target.removesuffix(".py")
    )
    file = next(
        (found for found in (folder / f"{path}.py", folder / path / "__init__.py") if found.is_file()), None
    )
    if path.is_absolute() or ".." in path.parts:
        return None
    if file is None:
        inside, _, name = target.rpartition(".")
        module_file = folder / f"{inside.replace('.', '/')}.py"
        is_there = inside and module_file.is_file() and name in _names_in(module_file)
        return f"Name the agent of the module: {inside}:{name}" if is_there else None
    module = ".".join(path.parts)
    names = _names_in(file)
    if not names:
        return f"Name the agent of the module: {module}:NAME"
    return f"Name the agent of the module: {' or '.join(f'{module}:{name}' for name in names[:_SHOWN])}"


def _names_in(file: Path) -> list[str]:
    """The public functions, classes and objects of a module, the likely agents first."""
    names: dict[str, None] = {}
    with suppress(OSError, ValueError, SyntaxError):
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names[node.name] = None
            elif isinstance(node, ast.Assign):
                called = isinstance(node.value, ast.Call)
                names |= {item.id: None for item in node.targets if called and isinstance(item, ast.Name)}
    public = [name for name in names if not name.startswith("_")]
    return [name for name in _LIKELY if name in names] or public
