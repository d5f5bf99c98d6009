"""The plugin ``pydantic-ai`` of adjudge: agents of Pydantic AI, run by their own graph.

Light: the framework is imported when an agent is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adjudge.kit.named_objects import folder_of, is_of_class
from adjudge.plugin import AgentAdapter, AgentAdapterSpec, ComponentConfig, Host, hookimpl


class PydanticAIConfig(ComponentConfig):
    """Which agent, and how it is run."""

    target: Any
    """``package.module:agent``, or of a function that makes one for every case; from Python also the object."""
    deps: str | None = None
    """``package.module:name`` of a function that makes the dependencies of a case from its session state, a dict; unset: the
    session state itself."""
    request_limit: int | None = None
    """The maximum number of model calls per turn; unset: the limit of Pydantic AI."""
    stream: bool = False
    """Whether the models stream their answers."""


def is_pydantic_agent(found: object) -> bool:
    """Whether an object is an agent of the framework."""
    return is_of_class(found, "pydantic_ai", "AbstractAgent")


def _make(config: PydanticAIConfig, host: Host) -> AgentAdapter:
    from adjudge_pydantic_ai.conversation import pydantic_agent

    return pydantic_agent(config, host)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``pydantic_ai`` agent."""
    return [
        AgentAdapterSpec(
            name="pydantic_ai",
            summary="An agent of Pydantic AI: package.module:agent, or the object.",
            factory=_make,
            config=PydanticAIConfig,
            accepts_object=is_pydantic_agent,
            folder=folder_of,
        )
    ]
