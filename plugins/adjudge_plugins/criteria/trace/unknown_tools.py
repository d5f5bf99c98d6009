"""``unknown_tools``: whether the agent called tools that are not declared."""

from __future__ import annotations

import math
from collections import Counter

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


class UnknownTools:
    """The number of calls of tools that no agent of the run declares.

    Calls that only answer or end the run need no declaration. Not applicable if no tool is declared, or if
    the run has no call.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with every such call."""
        return Measurement(overall=_unknown(case))


def _unknown(case: CaseUnderTest) -> Outcome:
    declared = trace.declared_tools(case.actual.invocations)
    if not declared:
        return Outcome.not_applicable("the run declares no tools")
    if not any(step.calls for step in case.actual.steps):
        return Outcome.not_applicable("no tool call was recorded")
    unknown = [
        (step.number, call)
        for step in case.actual.steps
        for call in step.calls
        if call.name not in declared
        and not trace.is_of_the_framework(call.name)
        and not trace.is_answer(call.name)
    ]
    if not unknown:
        return Outcome.scored(
            0.0,
            "every call is of a declared tool",
            evidence=trace.scanned(case.actual, "every call is of a declared tool"),
        )
    names = Counter(call.name for _, call in unknown)
    steps = [number for number, _ in unknown]
    return Outcome.scored(
        float(len(unknown)),
        f"{trace.counted(len(unknown), 'call')} of tools that are not declared, {', '.join(names)}: {trace.listed(steps)}",
        details={"tools": dict(names), "steps": steps, "declared": sorted(declared)},
        evidence=trace.citing(trace.cited(number, call) for number, call in unknown),
    )


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return UnknownTools()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="unknown_tools",
            summary="Calls of tools that are not declared",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
