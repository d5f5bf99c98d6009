"""``failed_recoveries``: whether the agent answered an error with the move that had just failed."""

from __future__ import annotations

import math
from itertools import pairwise

from adjudge.kit import trace
from adjudge.model import Citation
from adjudge.plugin import (
    CaseUnderTest,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    NoConfig,
    Outcome,
    hookimpl,
)


class FailedRecoveries:
    """After an error the same action again, failing again: once for every such pair of moves of one turn.

    Whatever the agent does between the two, if only a look at the page, is an attempt to recover, and the
    pair does not count. Not applicable where the run has no action.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case, with both moves of every pair."""
        return Measurement(overall=_pairs(case))


def _pairs(case: CaseUnderTest) -> Outcome:
    if not trace.actions_of(case.actual.steps):
        return Outcome.not_applicable("no action was recorded")
    found: list[list[int]] = []
    citations: list[Citation | None] = []
    for turn in case.actual.invocations:
        for first, second in pairwise(trace.moves_of(turn)):
            before, after = first.failed(), second.failed()
            same = next((key for key in after if key in before), None)
            if same is None:
                continue
            found.append([first.number, second.number])
            for move, failed in ((first, before), (second, after)):
                citations += [
                    *(trace.cited(each.step, each.item) for each in move.actions if each.key in same),
                    failed[same].citation,
                ]
    if not found:
        return Outcome.scored(
            0.0,
            "no move that failed was made again at once and failed again",
            evidence=trace.scanned(
                case.actual, "no move that failed was made again at once and failed again"
            ),
        )
    again = [second for _, second in found]
    return Outcome.scored(
        float(len(found)),
        f"what had just failed was done again and failed again {trace.counted(len(found), 'time')}: {trace.listed(again)}",
        details={"pairs": found},
        evidence=trace.citing(citations),
    )


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return FailedRecoveries()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="failed_recoveries",
            summary="Moves that failed, were made again at once, and failed again",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
