"""``trajectory_edit_similarity``: how few edits turn the expected calls into the actual ones."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import Comparison, Edits
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


class TrajectoryEditSimilarity(PerTurn):
    """1 minus the normalised edit distance of a turn's calls: 1.0 for the expected calls in order, 0.0 for none of them."""

    def __init__(self, config: PartialCreditConfig) -> None:
        self._comparison = Comparison.of_options(config)
        self._partial_credit = config.partial_credit

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        edits = Edits(expected, actual, self._comparison, partial_credit=self._partial_credit)
        return Outcome.scored(edits.similarity, edits.reason(), details=edits.details())


def _make(config: PartialCreditConfig, host: Host) -> Criterion:  # noqa: ARG001
    return TrajectoryEditSimilarity(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_edit_similarity",
            summary="1 minus the normalised edit distance of the tool calls",
            factory=_make,
            config=PartialCreditConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
