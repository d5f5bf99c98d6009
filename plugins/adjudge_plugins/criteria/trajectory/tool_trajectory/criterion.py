"""One turn is right or wrong; the core takes the mean."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import Comparison, Match, is_large, per_turn
from adjudge.plugin import CaseUnderTest, Measurement, Outcome, ToolCall, computed
from adjudge_plugins.criteria.trajectory.tool_trajectory.config import ToolTrajectoryConfig


class ToolTrajectory:
    """1.0 for a turn whose calls match the expected ones by the match type, else 0.0."""

    def __init__(self, config: ToolTrajectoryConfig) -> None:
        self._match_type = config.match_type
        self._comparison = Comparison.of_options(config)

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn, with the diff of every call where they do not match."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        match = Match(expected, actual, self._comparison, self._match_type)
        return Outcome.scored(match.score, match.reason(), details=match.details())
