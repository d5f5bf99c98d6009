"""``trajectory_precision``: the share of the agent's calls that were expected (seed 001)."""

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


class TrajectoryPrecisionConfig(CallOptions, ComponentConfig):
    """How calls are compared."""


class TrajectoryPrecision(PerTurn):
    """The precision of a turn's calls: 1.0 if every call was expected, 0.0 if none was."""

    def __init__(self, config: TrajectoryPrecisionConfig) -> None:
        self._comparison = Comparison.of_options(config)

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        overlap = Overlap(expected, actual, self._comparison)
        return Outcome.scored(overlap.precision, overlap.reason(), details=overlap.details())


def _make(config: TrajectoryPrecisionConfig, host: Host) -> Criterion:  # noqa: ARG001
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
