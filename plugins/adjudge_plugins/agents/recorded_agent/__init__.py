"""Recorded agents: answers are replayed from trajectories in a file."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_plugins.agents.recorded_agent.config import RecordedAgentConfig


def _make(config: RecordedAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_plugins.agents.recorded_agent.adapter import RecordedAgent

    trajectories = host.read_trajectories(config.target, reader=config.reader)
    return RecordedAgent(trajectories, str(config.target), any_conversation=config.any_conversation)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """Describe the ``recorded`` agent."""
    return [
        AgentAdapterSpec(
            name="recorded",
            summary="Trajectories of a file, paired with the cases by eval_id: recorded:FILE.",
            factory=_make,
            config=RecordedAgentConfig,
        )
    ]
