"""The plugin ``command`` of adjudge: agents that are commands, called with JSON Lines."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, ComponentConfig, Host, hookimpl


class CommandConfig(ComponentConfig):
    """Which command is the agent."""

    target: str
    """The command with its arguments, split and quoted as in a shell. It is run without a shell."""


def _make(config: CommandConfig, host: Host) -> AgentAdapter:
    from adjudge_command.adapter import command_agent

    return command_agent(config.target, host.working_folder)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``command`` agent."""
    return [
        AgentAdapterSpec(
            name="command",
            summary="A command that speaks JSON Lines, in any language: 'command:node agent.mjs'.",
            factory=_make,
            config=CommandConfig,
        )
    ]
