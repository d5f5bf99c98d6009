"""Loads the object of a target ``package.module:name``."""

from __future__ import annotations

from pathlib import Path

from adjudge.kit.named_objects import load_object
from adjudge.plugin import Host
from adjudge_plugins.agents.python_agent.frameworks import hint_for_path
from adjudge_plugins.agents.python_agent.modules import hint_for_module


def load_target(target: str, host: Host) -> object:
    """Import the module and look up the (dotted) name in it.

    Raises:
        InputError: the module cannot be imported, or has no such name.
    """
    return load_object(target, host, _import_hint)


def _import_hint(error: BaseException, module_name: str, folder: Path) -> str | None:
    """Suggest a target if a file or folder of that name exists but cannot be imported by it; ``None`` otherwise."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    path = folder.joinpath(*module_name.split(".")).with_suffix(".py")
    if path.is_file() and (hint := hint_for_path(path)) is not None:
        return hint
    return hint_for_module(module_name, folder)
