"""Counts tool calls."""

from __future__ import annotations

from collections import Counter

from adjudge.plugin import CaseUnderTest, Invocation, Measurement, Outcome


class ToolCallCount:
    """Tool calls of a turn (ADK ``tool_call_count_v1``). A turn without any counts 0."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count per turn."""
        return Measurement(per_invocation=tuple(_count(turn) for turn in case.actual.invocations))


def _count(turn: Invocation) -> Outcome:
    tools = Counter(call.name for call in turn.tool_calls)
    return Outcome.scored(float(tools.total()), details={"tools": dict(tools)} if tools else None)
