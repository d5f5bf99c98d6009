"""What the ``isolated`` agent is told."""

from __future__ import annotations

from typing import Any

from adjudge.plugin import ComponentConfig


class IsolatedAgentConfig(ComponentConfig):
    """Which agent runs in processes of its own."""

    target: str
    """The agent, as it is named without isolation."""
    agent_options: dict[str, Any] = {}
    """Options of its own adapter."""
    disable: tuple[str, ...] = ()
    """Plugins that are not imported in the processes."""
