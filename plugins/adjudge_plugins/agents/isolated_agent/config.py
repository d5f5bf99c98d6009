"""Options of the ``isolated`` agent."""

from __future__ import annotations

from typing import Any

from adjudge.plugin import ComponentConfig


class IsolatedAgentConfig(ComponentConfig):
    """Which agent runs in processes of its own."""

    target: str
    """The agent, in the form that is used without isolation."""
    agent_options: dict[str, Any] = {}
    """The options of the agent's own adapter."""
    disable: tuple[str, ...] = ()
    """Names of plugins that the agent's processes do not import."""
