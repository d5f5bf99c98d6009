"""One figure per turn; the core takes the mean."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import Comparison, Overlap, is_large, per_turn
from adjudge.plugin import CaseUnderTest, Measurement, Outcome, ToolCall, computed
from adjudge_plugins.criteria.trajectory.trajectory_precision.config import TrajectoryPrecisionConfig


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
