"""Agents behind HTTP: an OpenAI-compatible chat endpoint, or the ADK API server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_plugins.agents.http_agent.config import HttpAgentConfig


def _make(config: HttpAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_plugins.agents.http_agent.making import http_agent

    return http_agent(config, host.environment)


def _accepts(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


def _hint(target: str, folder: Path) -> str | None:  # noqa: ARG001
    """Suggest the scheme that an address lacks; ``None`` if that is not what is wrong."""
    is_address = re.fullmatch(r"(localhost|\d+(\.\d+){3}|[\w-]+(\.[\w-]+)+(?=:))(:\d+)?(/.*)?", target)
    return f"Write the whole address: http://{target}" if is_address else None


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """Describe the ``http`` agent."""
    return [
        AgentAdapterSpec(
            name="http",
            summary="An OpenAI-compatible chat endpoint or an ADK API server: http://…",
            factory=_make,
            config=HttpAgentConfig,
            accepts=_accepts,
            hint=_hint,
        )
    ]
