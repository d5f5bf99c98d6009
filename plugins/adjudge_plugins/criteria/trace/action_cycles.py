"""``action_cycles``: whether the agent repeated a sequence of actions."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from adjudge.kit import trace
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
from adjudge_plugins.criteria.trace.deeds import NOTHING_TO_REPEAT, deeds_of

_LONGEST_CYCLE: Final = 100
"""The longest cycle, in actions, that is searched for. A longer repetition is not a loop."""


class Stretch(NamedTuple):
    """A maximal stretch of consecutive actions that goes through one cycle at least twice."""

    start: int
    length: int
    cycle: int
    """The length of one round in actions."""


class ActionCycles:
    """The number of actions in the longest stretch of the form ``A B A B``; 0 if no cycle occurs twice.

    It compares the actions and messages that ``action_repeats`` compares, and applies to the same runs.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with the actions of one round."""
        return Measurement(overall=_longest(case))


def _longest(case: CaseUnderTest) -> Outcome:
    actions = deeds_of(case.actual)
    if not actions:
        return Outcome.not_applicable(NOTHING_TO_REPEAT)
    found = longest_stretch([action.key for action in actions])
    if found is None:
        return Outcome.scored(
            0.0,
            "no sequence of actions or messages occurs twice in a row",
            evidence=trace.scanned(case.actual, "no sequence of actions or messages occurs twice in a row"),
        )
    stretch = actions[found.start : found.start + found.length]
    steps = list(dict.fromkeys(action.step for action in stretch))
    rounds = found.length // found.cycle
    where = f"step {steps[0]}" if len(steps) == 1 else f"steps {steps[0]} to {steps[-1]}"
    return Outcome.scored(
        float(found.length),
        f"a sequence of {trace.counted(found.cycle, 'action')} occurs {rounds} times in a row: {where}",
        details={
            "steps": steps,
            "cycle": [action.name or "in words" for action in stretch[: found.cycle]],
            "rounds": rounds,
        },
        evidence=trace.citing(trace.cited(action.step, action.item) for action in stretch),
    )


def longest_stretch(keys: Sequence[Hashable]) -> Stretch | None:
    """Find the longest stretch; among equally long ones that with the shortest cycle, then the earliest."""
    numbers: dict[Hashable, int] = {}
    actions = [numbers.setdefault(key, len(numbers)) for key in keys]
    best: Stretch | None = None
    for cycle in range(1, min(len(actions) // 2, _LONGEST_CYCLE) + 1):
        # One byte per action: 1 if it equals the action one round before. bytes.find() searches it fast.
        same = bytes(map(operator.eq, actions, islice(actions, cycle, None)))
        wanted = max(cycle, (best.length if best else 0) - cycle + 1)
        at = same.find(b"\x01" * wanted)
        while at >= 0:
            end = same.find(b"\x00", at)
            run = (len(same) if end < 0 else end) - at
            best = Stretch(at, run + cycle, cycle)
            at = same.find(b"\x01" * (run + 1), at + run)
    return best


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ActionCycles()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="action_cycles",
            summary="Number of actions in the longest repeated cycle",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
