"""Options of the ``adk`` agent."""

from __future__ import annotations

from typing import Any

from adjudge.plugin import ComponentConfig


class AdkAgentConfig(ComponentConfig):
    """Where the agent is, and which of its agents answers."""

    target: Any
    """The agent's folder, its ``__init__.py`` or ``agent.py``; ``package.module:root_agent``; ``package``; from Python also an
    agent or an ``App``."""
    environment_simulation: str | dict[str, Any] | None = None
    """A file with ADK's ``EnvironmentSimulationConfig`` as JSON; from Python also its content."""
    agent: str | None = None
    """The name of a sub-agent that answers in place of the root agent (ADK's ``agent_name``)."""
