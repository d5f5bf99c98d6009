"""``trajectory_recall``: what share of the expected calls did the agent make? (seed 001)."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.trajectory.trajectory_recall.config import TrajectoryRecallConfig


def _make(config: TrajectoryRecallConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.trajectory_recall.criterion import TrajectoryRecall

    return TrajectoryRecall(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_recall",
            summary="Share of the expected calls that the agent made",
            factory=_make,
            config=TrajectoryRecallConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
