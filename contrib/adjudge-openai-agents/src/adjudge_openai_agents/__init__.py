"""The plugin ``openai-agents`` of adjudge: agents of the OpenAI Agents SDK, run by its own ``Runner``.

Light: the SDK is imported when an agent is made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from adjudge.kit.named_objects import folder_of, is_of_class
from adjudge.plugin import AgentAdapter, AgentAdapterSpec, ComponentConfig, Host, hookimpl


class OpenAIAgentConfig(ComponentConfig):
    """Which agent, and how it is run."""

    target: Any
    """``package.module:agent``, or of a function that makes one for every case; from Python also the object."""
    context: str | None = None
    """``package.module:name`` of a function that makes the context of a case from its session state, a dict; unset: the
    session state itself."""
    max_turns: int | None = None
    """The maximum number of model calls per turn; unset: the limit of the SDK."""
    stream: bool = False
    """Whether the agent is run by ``Runner.run_streamed``."""


def is_openai_agent(found: object) -> bool:
    """Whether an object is an ``Agent`` of the SDK. Many programs have a package ``agents`` of their own."""
    return is_of_class(found, "agents", "Agent") and hasattr(sys.modules.get("agents"), "Runner")


def _make(config: OpenAIAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_openai_agents.conversation import openai_agent

    return openai_agent(config, host)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``openai_agents`` agent."""
    return [
        AgentAdapterSpec(
            name="openai_agents",
            summary="An agent of the OpenAI Agents SDK: package.module:agent, or the object.",
            factory=_make,
            config=OpenAIAgentConfig,
            accepts_object=is_openai_agent,
            folder=folder_of,
        )
    ]
