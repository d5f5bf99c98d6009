"""Agents of frameworks that a distribution of its own runs, and the command that installs it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_ADK: Final = "google.adk."
_ADK_FILES: Final = ("agent.py", "__init__.py", "root_agent.yaml")
INSTALL_ADK: Final = "It is an agent of Google's ADK. Install what runs it: pip install ./contrib/adjudge-adk"


def hint_for_path(path: Path) -> str | None:
    """What to install where a file or folder is an agent of a framework; ``None`` where it is none that is known."""
    is_adk = any((path / name).is_file() for name in _ADK_FILES) or path.name in _ADK_FILES
    return INSTALL_ADK if is_adk else None


def hint_for_object(agent: object) -> str | None:
    """What to install where an object is an agent of a framework; ``None`` where it is none that is known."""
    is_adk = any(kind.__module__.startswith(_ADK) for kind in type(agent).__mro__)
    return INSTALL_ADK if is_adk else None
