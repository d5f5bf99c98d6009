"""``trajectory_f1``: precision and recall in one figure."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.trajectory.trajectory_f1.config import TrajectoryF1Config


def _make(config: TrajectoryF1Config, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.trajectory_f1.criterion import TrajectoryF1

    return TrajectoryF1(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_f1",
            summary="Harmonic mean of trajectory precision and recall",
            factory=_make,
            config=TrajectoryF1Config,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
