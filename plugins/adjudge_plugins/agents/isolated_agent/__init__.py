"""Agents in processes of their own, one for each session: for ``--isolate``. What runs there is an agent of any other kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_plugins.agents.isolated_agent.config import IsolatedAgentConfig

_FOLDERS: dict[object, Path] = {}
"""The folders of the agents that were made, by target."""


def _make(config: IsolatedAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_plugins.agents.isolated_agent.adapter import IsolatedAdapter

    adapter = IsolatedAdapter(config, host.working_folder)
    if adapter.folder is not None:
        _FOLDERS[config.target] = adapter.folder
    return adapter


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``isolated`` agent."""
    return [
        AgentAdapterSpec(
            name="isolated",
            summary="An agent of another kind in processes of its own, one for each session.",
            factory=_make,
            config=IsolatedAgentConfig,
            isolates=True,
            folder=_FOLDERS.get,
        )
    ]
