"""Agents of frameworks that a distribution of its own runs, and the command that installs it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

_ADK: Final = "google.adk."
_ADK_FILES: Final = ("agent.py", "__init__.py", "root_agent.yaml")
_ADK_WORDS: Final = (_ADK, "root_agent", "get_agent_async")
INSTALL_ADK: Final = "It is an agent of Google's ADK. Install what runs it: pip install ./contrib/adjudge-adk"


def hint_for_path(path: Path) -> str | None:
    """What to install where a file or folder is an agent of a framework; ``None`` where it is none that is known."""
    folder = path if path.is_dir() else path.parent
    is_named = path.is_dir() or path.name in _ADK_FILES
    return INSTALL_ADK if is_named and any(_is_adk(folder / name) for name in _ADK_FILES) else None


def _is_adk(file: Path) -> bool:
    """Whether a file speaks of ADK: other packages have an ``agent.py`` too."""
    with suppress(OSError, UnicodeDecodeError):
        text = file.read_text(encoding="utf-8")
        return file.suffix == ".yaml" or any(word in text for word in _ADK_WORDS)
    return False


def hint_for_object(agent: object) -> str | None:
    """What to install where an object is an agent of a framework; ``None`` where it is none that is known."""
    is_adk = any(kind.__module__.startswith(_ADK) for kind in type(agent).__mro__)
    return INSTALL_ADK if is_adk else None
