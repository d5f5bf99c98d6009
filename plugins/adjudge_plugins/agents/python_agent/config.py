"""Options of the ``python`` agent."""

from __future__ import annotations

from typing import Any

from adjudge.plugin import ComponentConfig


class PythonAgentConfig(ComponentConfig):
    """The agent itself, or where it is."""

    target: Any
    """The agent as ``package.module:name``; from Python also the object."""
