"""What the ``python`` agent is told."""

from __future__ import annotations

from typing import Any

from adjudge.plugin import ComponentConfig


class PythonAgentConfig(ComponentConfig):
    """The agent itself, or where it is."""

    target: Any
    """``package.module:name``; from the Python API, the object."""
