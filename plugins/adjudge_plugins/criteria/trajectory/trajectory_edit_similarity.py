"""``trajectory_edit_similarity``: how few edits lead from the expected calls to the actual ones?"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.matching import CallOptions, Comparison, Edits, is_large, per_turn
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


class TrajectoryEditSimilarityConfig(CallOptions, ComponentConfig):
    """How calls are compared."""

    partial_credit: bool = False
    """A call of the right tool counts by the share of arguments that are right."""


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


def _make(config: TrajectoryEditSimilarityConfig, host: Host) -> Criterion:  # noqa: ARG001
    return TrajectoryEditSimilarity(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_edit_similarity",
            summary="How few edits lead from the expected calls to the actual ones",
            factory=_make,
            config=TrajectoryEditSimilarityConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
