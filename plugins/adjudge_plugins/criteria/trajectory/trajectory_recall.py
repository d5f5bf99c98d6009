"""``trajectory_recall``: what share of the expected calls did the agent make? (seed 001)."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import CallOptions, Comparison, Overlap, is_large, per_turn
from adjudge.kit.threads import computed
from adjudge.model import ToolCall
from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Need,
    Outcome,
    hookimpl,
)


class TrajectoryRecallConfig(CallOptions, ComponentConfig):
    """How calls are compared."""


class TrajectoryRecall:
    """1.0 for a turn that made every expected call, 0.0 for one that made none."""

    def __init__(self, config: TrajectoryRecallConfig) -> None:
        self._comparison = Comparison.of_options(config)

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn, with the diff of every call where they differ."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

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
