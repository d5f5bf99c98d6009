"""``trajectory_precision``: what share of the agent's calls was expected? (seed 001)."""

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


class TrajectoryPrecisionConfig(CallOptions, ComponentConfig):
    """How calls are compared."""


class TrajectoryPrecision:
    """1.0 for a turn whose every call was expected, 0.0 for one without a right call."""

    def __init__(self, config: TrajectoryPrecisionConfig) -> None:
        self._comparison = Comparison.of_options(config)

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn, with the diff of every call where they differ."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

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
