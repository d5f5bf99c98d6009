"""``action_repeats``: how often the agent did the very same thing."""

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


class ActionRepeats:
    """How often the most repeated action occurs in the run, wherever. Not applicable without any action."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case, with every place of the action."""
        return Measurement(overall=_most_repeated(case))


def _most_repeated(case: CaseUnderTest) -> Outcome:
    by_key: dict[trace.ActionKey, list[trace.Action]] = {}
    for action in trace.actions_of(case.actual.steps):
        by_key.setdefault(action.key, []).append(action)
    if not by_key:
        return Outcome.not_applicable("no action was recorded")
    same = max(by_key.values(), key=len)
    if len(same) == 1:
        reason = f"none of {trace.counted(len(by_key), 'action')} occurs twice"
        return Outcome.scored(1.0, reason, evidence=trace.scanned(case.actual, "no action occurs twice"))
    steps = [action.step for action in same]
    what = f"{same[0].name} with the same arguments" if same[0].name else "an action in the same words"
    return Outcome.scored(
        float(len(same)),
        f"{what} occurs {len(same)} times: {trace.listed(steps)}",
        details={"steps": steps, "repeated_actions": sum(len(group) > 1 for group in by_key.values())},
        evidence=trace.citing(trace.cited(action.step, action.item) for action in same),
    )


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ActionRepeats()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="action_repeats",
            summary="How often the most repeated action of the run occurs",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
