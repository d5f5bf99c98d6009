"""``tool_call_count_v1``: how many tools the agent called."""

from __future__ import annotations

import math
from collections import Counter

from adjudge.kit.trace import counted
from adjudge.model import Invocation, JsonObject
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


class ToolCallCount:
    """Tool calls of a turn (ADK ``tool_call_count_v1``). A turn without any counts 0.

    Not applicable if the run has no step at all: then its number of calls is unknown.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count per turn."""
        turns = case.actual.invocations
        if not case.actual.steps:
            unknown = Outcome.not_applicable("no step was recorded")
            return Measurement(per_invocation=(unknown,) * len(turns))
        return Measurement(per_invocation=tuple(map(_count, turns)))


def _count(turn: Invocation) -> Outcome:
    tools = Counter(call.name for call in turn.tool_calls)
    reason = counted(tools.total(), "tool call")
    if tools:
        named = [name if times == 1 else f"{name} {times} times" for name, times in tools.items()]
        reason += f": {', '.join(named)}"
    details: JsonObject | None = {"tools": dict(tools)} if tools else None
    return Outcome.scored(float(tools.total()), f"{reason}.", details=details)


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ToolCallCount()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="tool_call_count_v1",
            summary="Tool calls per turn",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
