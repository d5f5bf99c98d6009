"""``trajectory_f1``: precision and recall in one figure."""

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


class TrajectoryF1Config(CallOptions, ComponentConfig):
    """How calls are compared."""

    partial_credit: bool = False
    """A call of the right tool counts by the share of arguments that are right."""


class TrajectoryF1:
    """1.0 for a turn that made the expected calls and no other, 0.0 for one without a right call."""

    def __init__(self, config: TrajectoryF1Config) -> None:
        self._comparison = Comparison.of_options(config)
        self._partial_credit = config.partial_credit

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn, with the diff of every call where they differ."""
        return await computed(per_turn, case, self._turn, in_thread=is_large(case))

    def _turn(self, expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Outcome:
        overlap = Overlap(expected, actual, self._comparison, partial_credit=self._partial_credit)
        return Outcome.scored(overlap.f1, overlap.reason(), details=overlap.details())


def _make(config: TrajectoryF1Config, host: Host) -> Criterion:  # noqa: ARG001
    return TrajectoryF1(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_f1",
            summary="Harmonic mean of trajectory precision and recall",
            factory=_make,
            config=TrajectoryF1Config,
            needs=frozenset({Need.EXPECTED_INVOCATIONS}),
        )
    ]
