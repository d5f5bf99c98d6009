"""One figure per turn; the core takes the mean."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import Comparison, Overlap, is_large, per_turn
from adjudge.plugin import CaseUnderTest, Measurement, Outcome, ToolCall, computed
from adjudge_plugins.criteria.trajectory.trajectory_recall.config import TrajectoryRecallConfig


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
