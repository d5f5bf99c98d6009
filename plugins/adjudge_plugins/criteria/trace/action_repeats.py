"""``action_repeats``: how often the agent repeated the same action or message."""

from __future__ import annotations

import math

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
from adjudge_plugins.criteria.trace.deeds import NOTHING_TO_REPEAT, Deed, DeedKey, deeds_of, is_action


class ActionRepeats:
    """The number of occurrences of the most repeated deed in the run, anywhere in it.

    A deed is an action with its page and its result where the log records them, or a message. Not applicable to a run
    without actions and with fewer than two messages that count.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with every occurrence of the deed."""
        return Measurement(overall=_most_repeated(case))


def _most_repeated(case: CaseUnderTest) -> Outcome:
    by_key: dict[DeedKey, list[Deed]] = {}
    for deed in deeds_of(case.actual):
        by_key.setdefault(deed.key, []).append(deed)
    if not by_key:
        return Outcome.not_applicable(NOTHING_TO_REPEAT)
    same = max(by_key.values(), key=len)
    if len(same) == 1:
        reason = f"nothing occurs twice: {_counted([deed for [deed] in by_key.values()])}"
        scan = "no action or message occurs twice"
        return Outcome.scored(1.0, reason, evidence=trace.scanned(case.actual, scan))
    steps = [deed.step for deed in same]
    outcome = ", with the same outcome," if same[0].key[2] else ""
    return Outcome.scored(
        float(len(same)),
        f"{_what(same[0])}{outcome} occurs {len(same)} times: {trace.listed(steps)}",
        details={"steps": steps, "repeated_actions": sum(len(group) > 1 for group in by_key.values())},
        evidence=trace.citing(trace.cited(deed.step, deed.item) for deed in same),
    )


def _counted(deeds: list[Deed]) -> str:
    """``2 actions``, ``2 actions and 1 message``."""
    actions = sum(map(is_action, deeds))
    messages = len(deeds) - actions
    return " and ".join(
        trace.counted(number, noun) for number, noun in ((actions, "action"), (messages, "message")) if number
    )


def _what(deed: Deed) -> str:
    if deed.name:
        return f"{deed.name} with the same arguments"
    if not is_action(deed):
        return f"a message of {deed.key[0]}" if deed.key[0] else "a message"
    return "an action in the same words"


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ActionRepeats()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="action_repeats",
            summary="Number of occurrences of the most frequent action or message",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
