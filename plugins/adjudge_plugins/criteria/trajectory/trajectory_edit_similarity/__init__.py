"""``trajectory_edit_similarity``: how few edits lead from the expected calls to the actual ones?"""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.trajectory.trajectory_edit_similarity.config import (
    TrajectoryEditSimilarityConfig,
)


def _make(config: TrajectoryEditSimilarityConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.trajectory_edit_similarity.criterion import (
        TrajectoryEditSimilarity,
    )

    return TrajectoryEditSimilarity(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_edit_similarity",
            summary="How few edits lead from the expected calls to the actual ones",
            factory=_make,
            config=TrajectoryEditSimilarityConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
