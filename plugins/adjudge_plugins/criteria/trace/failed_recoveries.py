"""``failed_recoveries``: whether the agent repeated a failed move after its error."""

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
    """The number of times that the agent repeated an action directly after it had failed, and it failed again.

    Only actions of the same turn are compared. Anything that the agent does in between, even looking at the
    page, is an attempt to recover, and then the repetition does not count. Not applicable if the run has no
    action.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with both actions of every pair."""
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
            "no failed action was repeated immediately and failed again",
            evidence=trace.scanned(case.actual, "no failed action was repeated immediately and failed again"),
        )
    again = [second for _, second in found]
    return Outcome.scored(
        float(len(found)),
        f"an action that had just failed was repeated and failed again, {trace.counted(len(found), 'time')}: {trace.listed(again)}",
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
            summary="Actions that failed, were repeated immediately, and failed again",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
