"""``trajectory_f1``: the F1 score of precision and recall."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import Comparison, Overlap
from adjudge.model import ToolCall
from adjudge.plugin import (
    Criterion,
    CriterionSpec,
    Host,
    Need,
    Outcome,
    hookimpl,
)
from adjudge_plugins.criteria.trajectory.turns import PartialCreditConfig, PerTurn


class TrajectoryF1(PerTurn):
    """The F1 score of a turn's calls: 1.0 for exactly the expected calls, 0.0 if none of them is correct."""

    def __init__(self, config: PartialCreditConfig) -> None:
        self._comparison = Comparison.of_options(config)
        self._partial_credit = config.partial_credit

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        overlap = Overlap(expected, actual, self._comparison, partial_credit=self._partial_credit)
        return Outcome.scored(overlap.f1, overlap.reason(), details=overlap.details())


def _make(config: PartialCreditConfig, host: Host) -> Criterion:  # noqa: ARG001
    return TrajectoryF1(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_f1",
            summary="Harmonic mean of trajectory precision and recall",
            factory=_make,
            config=PartialCreditConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
