"""The plugin ``a2a`` of adjudge: agents behind the A2A protocol, called through the client of a2a-sdk.

Light: the SDK is imported when an agent is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, ComponentConfig, Host, hookimpl


class A2AConfig(ComponentConfig):
    """Where the agent is."""

    target: str
    """The address of the agent's card: ``http://…`` or ``https://…``."""
    api_key_env: str | None = None
    """The name of the environment variable with the key, which is sent as a bearer token; unset: no key is sent."""


def _make(config: A2AConfig, host: Host) -> AgentAdapter:
    from adjudge_a2a.conversation import a2a_agent

    return a2a_agent(config, host)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``a2a`` agent."""
    return [
        AgentAdapterSpec(
            name="a2a",
            summary="An agent behind the A2A protocol: a2a:http://…",
            factory=_make,
            config=A2AConfig,
            takes_state=False,
            shows_state=False,
        )
    ]
