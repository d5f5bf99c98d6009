"""The plugin ``adk`` of adjudge: agents of Google's Agent Development Kit, run by its own ``Runner``.

Light: google-adk is imported when an agent is made. ``google.adk.evaluation`` never is.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.kit.named_objects import folder_of as module_folder
from adjudge.plugin import AgentAdapter, AgentAdapterSpec, Host, hookimpl
from adjudge_adk.config import AdkAgentConfig
from adjudge_adk.targets import folder_of, is_adk_agent, is_adk_path

if TYPE_CHECKING:
    from adjudge_adk.agent_evaluator import AgentEvaluator

__all__ = ["AgentEvaluator", "agent_adapters"]


def _make(config: AdkAgentConfig, host: Host) -> AgentAdapter:
    from adjudge_adk.adapter import adk_agent

    return adk_agent(config, host)


@hookimpl.agent_adapters
def agent_adapters() -> Iterable[AgentAdapterSpec]:
    """The ``adk`` agent."""
    return [
        AgentAdapterSpec(
            name="adk",
            summary="An agent of google-adk: its folder, package.module:root_agent, or the object.",
            factory=_make,
            config=AdkAgentConfig,
            accepts_path=is_adk_path,
            accepts_object=is_adk_agent,
            folder=_folder,
        )
    ]


def _folder(target: object) -> Path | None:
    if isinstance(target, str) and (folder := folder_of(Path(target))) is not None:
        return folder
    return module_folder(target) if isinstance(target, str) else None


def __getattr__(name: str) -> object:
    """Import ``AgentEvaluator`` on first use: a plugin's listing must not pay for it."""
    if name == "AgentEvaluator":
        from adjudge_adk.agent_evaluator import AgentEvaluator

        return AgentEvaluator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
