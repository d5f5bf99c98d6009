"""``tool_trajectory_avg_score``: whether every turn called the expected tools (seed 004)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from adjudge.kit.matching import CallOptions, Comparison, Match, MatchType
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


class ToolTrajectoryConfig(CallOptions, ComponentConfig):
    """ADK's ``ToolTrajectoryCriterion``, and how arguments are compared beyond it."""

    match_type: MatchType = Field(default=MatchType.EXACT, alias="matchType")
    """How calls are matched: ``EXACT`` (the same calls in the same order), ``IN_ORDER`` (further calls are permitted) or
    ``ANY_ORDER`` (further calls and any order are permitted); in any of ADK's spellings."""


class ToolTrajectory(PerTurn):
    """1.0 for a turn whose calls match the expected calls under the match type, else 0.0."""

    def __init__(self, config: ToolTrajectoryConfig) -> None:
        self._match_type = config.match_type
        self._comparison = Comparison.of_options(config)

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        match = Match(expected, actual, self._comparison, self._match_type)
        return Outcome.scored(match.score, match.reason(), details=match.details())


def _make(config: ToolTrajectoryConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ToolTrajectory(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="tool_trajectory_avg_score",
            summary="Share of turns whose tool calls match the expected ones",
            factory=_make,
            config=ToolTrajectoryConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
            default_threshold=1.0,
            in_adk_default=True,
        )
    ]
