"""Agents that are Python objects: a callable, a class with state in its instances, or an object with sessions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.kit.named_objects import folder_of
from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_plugins.agents.python_agent.config import PythonAgentConfig
from adjudge_plugins.agents.python_agent.frameworks import hint_for_path, hint_for_scheme
from adjudge_plugins.agents.python_agent.modules import hint_for_module


def _make(config: PythonAgentConfig, host: Host) -> AgentAdapter:
    from adjudge.kit.thread_loops import ThreadLoop
    from adjudge_plugins.agents.python_agent.adapter import python_agent
    from adjudge_plugins.agents.python_agent.loading import load_target

    target = config.target
    if isinstance(target, str):
        return python_agent(load_target(target, host), ThreadLoop("adjudge agent"))
    # No loop of our own: the calling program owns the object, which may be bound to that program's event
    # loop.
    return python_agent(target, None)


def _loads(target: str, host: Host) -> object:
    from adjudge_plugins.agents.python_agent.loading import load_target

    return load_target(target, host)


def _accepts(target: str) -> bool:
    module, colon, name = target.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))


def _hint(target: str, folder: Path) -> str | None:
    return hint_for_scheme(target) or hint_for_path(folder / target) or hint_for_module(target, folder)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """Describe the ``python`` agent."""
    return [
        AgentAdapterSpec(
            name="python",
            summary="A Python callable, class or object with sessions: package.module:name.",
            factory=_make,
            config=PythonAgentConfig,
            takes_objects=True,
            accepts=_accepts,
            loads=_loads,
            hint=_hint,
            folder=folder_of,
        )
    ]
