"""The agents below the working folder."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Final

_MARKS: Final = ("agent.py", "root_agent.yaml")
"""Files that folders of agents have, as `adk web` looks for them."""

_DEEPEST: Final = 3
"""Folders below folders that are looked at."""


_OF_ADK: Final = frozenset({"app", "get_agent_async", "root_agent"})
"""Names by which a folder is an agent of ADK."""


def find_agents(folder: Path) -> list[str]:
    """The agents below ``folder``, as targets, sorted.

    A folder as ADK has it is named by its path; a function ``agent`` in an ``agent.py`` by its module.
    """
    found: list[str] = []
    for root, folders, files in os.walk(folder):
        here = Path(root)
        depth = len(here.relative_to(folder).parts)
        folders[:] = [
            name
            for name in folders
            if depth < _DEEPEST
            and name[:1] not in "._"
            and name != "node_modules"
            and not (here / name / "pyvenv.cfg").exists()
        ]
        if depth and any(mark in files for mark in _MARKS):
            found.append(_target(here, here.relative_to(folder)))
            folders.clear()
    return sorted(found)


def _target(folder: Path, path: Path) -> str:
    names = _names(folder / "agent.py") | _names(folder / "__init__.py")
    if "agent" in names and not names & _OF_ADK and not (folder / "root_agent.yaml").exists():
        return f"{'.'.join(path.parts)}.agent:agent"
    return path.as_posix()


def _names(module: Path) -> set[str]:
    """The names that a module defines or imports, without running it; none if it cannot be read."""
    try:
        body = ast.parse(module.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                found |= {each.asname or each.name for each in imported}
            case _:
                pass
    return found


def likely_agent(file: str, agents: list[str]) -> str:
    """The agent beside an eval set, or the only one; empty where none suggests itself."""
    inside = [agent for agent in agents if file.startswith(f"{folder_of(agent)}/")]
    return inside[0] if inside else agents[0] if len(agents) == 1 else ""


def folder_of(target: str) -> str:
    """The folder of an agent that ``find_agents`` names, as a path with ``/``."""
    module, is_function, _ = target.partition(":")
    return module.rpartition(".")[0].replace(".", "/") if is_function else target
