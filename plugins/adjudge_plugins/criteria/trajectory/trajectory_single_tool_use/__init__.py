"""``trajectory_single_tool_use``: did every turn use the tool? (seed 001)."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, hookimpl
from adjudge_plugins.criteria.trajectory.trajectory_single_tool_use.config import (
    TrajectorySingleToolUseConfig,
)


def _make(config: TrajectorySingleToolUseConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.trajectory_single_tool_use.criterion import (
        TrajectorySingleToolUse,
    )

    return TrajectorySingleToolUse(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_single_tool_use",
            summary="Share of turns in which the agent called one named tool",
            factory=_make,
            config=TrajectorySingleToolUseConfig,
            example_options={"tool_name": "search"},
            simulated_conversations=True,
        )
    ]
