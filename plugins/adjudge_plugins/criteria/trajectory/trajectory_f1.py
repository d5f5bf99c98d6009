"""``trajectory_f1``: precision and recall in one figure."""

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
    """1.0 for a turn that made the expected calls and no other, 0.0 for one without a right call."""

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
