"""Agents in separate processes, one process per session (``--isolate``). The process can run any kind of agent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_plugins.agents.isolated_agent.config import IsolatedAgentConfig

_FOLDERS: dict[object, Path] = {}
"""The folder of each agent that was created, by target."""


def _make(config: IsolatedAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_plugins.agents.isolated_agent.adapter import IsolatedAdapter

    adapter = IsolatedAdapter(config, host.working_folder)
    if adapter.folder is not None:
        _FOLDERS[config.target] = adapter.folder
    return adapter


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """Describe the ``isolated`` agent."""
    return [
        AgentAdapterSpec(
            name="isolated",
            summary="An agent of another kind, with a separate process for each session.",
            factory=_make,
            config=IsolatedAgentConfig,
            isolates=True,
            folder=_FOLDERS.get,
        )
    ]
