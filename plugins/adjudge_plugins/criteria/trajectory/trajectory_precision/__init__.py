"""``trajectory_precision``: what share of the agent's calls was expected? (seed 001)."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.trajectory.trajectory_precision.config import TrajectoryPrecisionConfig


def _make(config: TrajectoryPrecisionConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.trajectory_precision.criterion import TrajectoryPrecision

    return TrajectoryPrecision(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_precision",
            summary="Share of the agent's calls that were expected",
            factory=_make,
            config=TrajectoryPrecisionConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
