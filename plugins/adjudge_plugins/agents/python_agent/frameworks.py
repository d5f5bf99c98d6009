"""Recognises agents of frameworks that another distribution runs, and names the command that installs it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

_ADK: Final = "google.adk."
_ADK_FILES: Final = ("agent.py", "__init__.py", "root_agent.yaml")
_ADK_WORDS: Final = (_ADK, "root_agent", "get_agent_async")
_INSTALL: Final = "It is an agent of {}. Install its adapter: pip install ./contrib/{}"
INSTALL_ADK: Final = _INSTALL.format("Google's ADK", "adjudge-adk")
_FRAMEWORKS: Final = {
    _ADK: INSTALL_ADK,
    "agents.agent": _INSTALL.format("the OpenAI Agents SDK", "adjudge-openai-agents"),
    "langgraph.": _INSTALL.format("LangGraph", "adjudge-langgraph"),
    "pydantic_ai.": _INSTALL.format("Pydantic AI", "adjudge-pydantic-ai"),
}
"""The message for an object, by the package of its class."""

_SCHEMES: Final = {
    "a2a": "It is an agent behind A2A. Install its adapter: pip install ./contrib/adjudge-a2a",
    "adk": INSTALL_ADK,
    "command": "It is a command. Install its adapter: pip install ./contrib/adjudge-command",
    "langgraph": _FRAMEWORKS["langgraph."],
    "openai_agents": _FRAMEWORKS["agents.agent"],
    "pydantic_ai": _FRAMEWORKS["pydantic_ai."],
}
"""The message for a target, by its scheme."""


def hint_for_scheme(target: str) -> str | None:
    """The distribution to install for a target with the scheme of a missing adapter; ``None`` for unknown schemes."""
    return _SCHEMES.get(target.partition(":")[0]) if ":" in target else None


def hint_for_path(path: Path) -> str | None:
    """The distribution to install for a file or folder that is a framework's agent; ``None`` for unknown ones."""
    folder = path if path.is_dir() else path.parent
    is_named = path.is_dir() or path.name in _ADK_FILES
    return INSTALL_ADK if is_named and any(_is_adk(folder / name) for name in _ADK_FILES) else None


def _is_adk(file: Path) -> bool:
    """Whether a file mentions ADK. Other frameworks also use an ``agent.py``, so the name alone does not tell."""
    with suppress(OSError, UnicodeDecodeError):
        text = file.read_text(encoding="utf-8")
        return file.suffix == ".yaml" or any(word in text for word in _ADK_WORDS)
    return False


def hint_for_object(agent: object) -> str | None:
    """The distribution to install for an object that is a framework's agent; ``None`` for unknown ones."""
    modules = [kind.__module__ for kind in type(agent).__mro__]
    return next(
        (hint for package, hint in _FRAMEWORKS.items() if any(each.startswith(package) for each in modules)),
        None,
    )
