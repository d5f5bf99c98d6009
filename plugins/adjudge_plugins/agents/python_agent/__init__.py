"""Agents that are Python objects: a callable, a class whose instances remember, or an object with sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_plugins.agents.python_agent.config import PythonAgentConfig


def _make(config: PythonAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_plugins.agents.python_agent.adapter import python_agent
    from adjudge_plugins.agents.python_agent.loading import load_target

    target = config.target
    return python_agent(load_target(target, host) if isinstance(target, str) else target)


def _folder(target: object) -> Path | None:
    named = target.partition(":")[0] if isinstance(target, str) else getattr(target, "__module__", "")
    file = getattr(sys.modules.get(named), "__file__", None)
    return None if file is None else Path(file).parent


def _accepts(target: str) -> bool:
    module, colon, name = target.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``python`` agent."""
    return [
        AgentAdapterSpec(
            name="python",
            summary="A Python callable, class or object with sessions: package.module:name.",
            factory=_make,
            config=PythonAgentConfig,
            accepts=_accepts,
            folder=_folder,
        )
    ]
