"""``trajectory_recall``: the share of the expected calls that the agent made (seed 001)."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import CallOptions, Comparison, Overlap
from adjudge.model import ToolCall
from adjudge.plugin import (
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Need,
    Outcome,
    hookimpl,
)
from adjudge_plugins.criteria.trajectory.turns import PerTurn


class TrajectoryRecallConfig(CallOptions, ComponentConfig):
    """How calls are compared."""


class TrajectoryRecall(PerTurn):
    """The recall of a turn's calls: 1.0 if every expected call was made, 0.0 if none was."""

    def __init__(self, config: TrajectoryRecallConfig) -> None:
        self._comparison = Comparison.of_options(config)

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        overlap = Overlap(expected, actual, self._comparison)
        return Outcome.scored(overlap.recall, overlap.reason(), details=overlap.details())


def _make(config: TrajectoryRecallConfig, host: Host) -> Criterion:  # noqa: ARG001
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
