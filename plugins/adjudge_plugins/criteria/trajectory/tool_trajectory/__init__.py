"""``tool_trajectory_avg_score``: did every turn call the expected tools? (seed 004)."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.trajectory.tool_trajectory.config import ToolTrajectoryConfig


def _make(config: ToolTrajectoryConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.tool_trajectory.criterion import ToolTrajectory

    return ToolTrajectory(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="tool_trajectory_avg_score",
            summary="Share of turns whose tool calls match the expected ones",
            factory=_make,
            config=ToolTrajectoryConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
            default_threshold=1.0,
            in_adk_default=True,
        )
    ]
