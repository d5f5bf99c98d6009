"""The plugin ``langgraph`` of adjudge: compiled graphs of LangGraph, and agents built from them.

Light: the framework is imported when an agent is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adjudge.kit.named_objects import folder_of, is_of_class
from adjudge.plugin import AgentAdapter, AgentAdapterSpec, ComponentConfig, Host, hookimpl


class LangGraphConfig(ComponentConfig):
    """Which graph, and how it is run."""

    target: Any
    """``package.module:graph``, or of a function that makes one for every case; from Python also the object."""
    input: str = "messages"
    """The key of the graph's state for the user's message."""
    output: str | None = None
    """The key of the graph's state with the answer; unset: ``structured_response`` if the state has it, otherwise the last
    message."""
    context: str | None = None
    """``package.module:name`` of a function that makes the runtime context of a case from its session state, a dict."""
    recursion_limit: int | None = None
    """The maximum number of the graph's steps per turn; unset: the limit of LangGraph."""
    stream: bool = False
    """Whether the models stream their answers."""


def is_graph(found: object) -> bool:
    """Whether an object is a compiled graph."""
    return is_of_class(found, "langgraph", "Pregel")


def _make(config: LangGraphConfig, host: Host) -> AgentAdapter:
    from adjudge_langgraph.conversation import graph_agent

    return graph_agent(config, host)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``langgraph`` agent."""
    return [
        AgentAdapterSpec(
            name="langgraph",
            summary="A compiled graph of LangGraph: package.module:graph, or the object.",
            factory=_make,
            config=LangGraphConfig,
            accepts_object=is_graph,
            folder=folder_of,
        )
    ]
