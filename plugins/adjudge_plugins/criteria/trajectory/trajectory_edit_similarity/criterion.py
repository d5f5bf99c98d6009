"""One figure per turn; the core takes the mean."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import Comparison, Edits, is_large, per_turn
from adjudge.plugin import CaseUnderTest, Measurement, Outcome, ToolCall, computed
from adjudge_plugins.criteria.trajectory.trajectory_edit_similarity.config import (
    TrajectoryEditSimilarityConfig,
)


class TrajectoryEditSimilarity:
    """1.0 for a turn that made the expected calls in their order, 0.0 for one that has nothing of them."""

    def __init__(self, config: TrajectoryEditSimilarityConfig) -> None:
        self._comparison = Comparison.of_options(config)
        self._partial_credit = config.partial_credit

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn, with the diff of every call where they differ."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        edits = Edits(expected, actual, self._comparison, partial_credit=self._partial_credit)
        return Outcome.scored(edits.similarity, edits.reason(), details=edits.details())
