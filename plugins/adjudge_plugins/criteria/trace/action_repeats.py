"""``action_repeats``: how often the agent did, or said, the very same thing."""

from __future__ import annotations

import math

from adjudge.kit import trace
from adjudge.model import Text
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
from adjudge_plugins.criteria.trace.deeds import Deed, DeedKey, deeds_of


class ActionRepeats:
    """How often the most repeated deed occurs in the run, wherever.

    A deed is an action with its page and its result where the log records them, or a message. Not applicable where
    nothing can be repeated.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case, with every place of the deed."""
        return Measurement(overall=_most_repeated(case))


def _most_repeated(case: CaseUnderTest) -> Outcome:
    by_key: dict[DeedKey, list[Deed]] = {}
    for deed in deeds_of(case.actual):
        by_key.setdefault(deed.key, []).append(deed)
    if not by_key:
        return Outcome.not_applicable("no action was recorded")
    same = max(by_key.values(), key=len)
    if len(same) == 1:
        reason = f"none of {trace.counted(len(by_key), 'action')} occurs twice"
        return Outcome.scored(1.0, reason, evidence=trace.scanned(case.actual, "no action occurs twice"))
    steps = [deed.step for deed in same]
    outcome = ", with the same outcome," if same[0].key[2] else ""
    return Outcome.scored(
        float(len(same)),
        f"{_what(same[0])}{outcome} occurs {len(same)} times: {trace.listed(steps)}",
        details={"steps": steps, "repeated_actions": sum(len(group) > 1 for group in by_key.values())},
        evidence=trace.citing(trace.cited(deed.step, deed.item) for deed in same),
    )


def _what(deed: Deed) -> str:
    if deed.name:
        return f"{deed.name} with the same arguments"
    if isinstance(deed.item, Text) and not trace.is_in_words(deed.item):
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
            summary="How often the most repeated action or message of the run occurs",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
