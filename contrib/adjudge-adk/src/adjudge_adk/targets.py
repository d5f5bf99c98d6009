"""Recognises ADK agents by their files, without importing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from adjudge.kit.named_objects import is_of_class

_PYTHON_FILES: Final = ("agent.py", "__init__.py")
_YAML: Final = "root_agent.yaml"
_AGENT_CLASSES: Final = ("App", "BaseAgent", "BaseNode")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInProgram:
    """An agent that a program names or made, with services of the program's own."""

    agent: Any
    """The name of a module, an agent or an ``App``."""
    artifact_service: Any = None
    """Holds the artifacts of every case; ``None`` for one of each case's own."""


def is_adk_path(path: Path) -> bool:
    """Whether a folder has the files that ADK looks for, or a file is one of them."""
    return folder_of(path) is not None


def folder_of(path: Path) -> Path | None:
    """The folder of the agent that a path names; ``None`` where it names none."""
    if path.is_file():
        return path.absolute().parent if path.name in (*_PYTHON_FILES, _YAML) else None
    is_agent = any((path / name).is_file() for name in (*_PYTHON_FILES, _YAML))
    return path.absolute() if is_agent else None


def is_adk_agent(agent: object) -> bool:
    """Whether an object is an agent, an ``App`` or a workflow of google-adk."""
    return isinstance(agent, AgentInProgram) or is_of_class(agent, "google.adk", *_AGENT_CLASSES)
