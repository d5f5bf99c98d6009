"""Asks a judge whether the agent used its tools well over a conversation."""

from __future__ import annotations

from typing import Final

from adjudge.kit import judged_criteria
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome

_CHOICE: Final = {
    "right_tools": "The agent called every tool that the task needed, at the right moment, and no other.",
}
_CALLS: Final = {
    "right_arguments": "The arguments of every call follow from what was said and found out before; none is "
    "wrong, missing or made up.",
    "results_used": "What the agent said and did after each response agrees with it; errors and empty "
    "responses were noticed.",
}


class MultiTurnToolUseQuality:
    """The mean over three statements about the tool calls of a whole conversation, from 0 to 1.

    If no tool was called, only the statement whether one was needed is judged; if the agent also declares no
    tools, the criterion is not applicable. ADK measures this with Vertex AI, where a model writes new
    statements for every conversation; these are fixed.
    """

    def __init__(self, judge: Judge) -> None:
        prompt = judged_criteria.read_prompt(__package__, "multi_turn_tool_use_quality_v1")
        self._checklist = judged_criteria.Checklist(judge, prompt)

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score for the case."""
        turns = case.actual.invocations
        if any(turn.tool_calls for turn in turns):
            return Measurement(overall=await self._checklist.decide(case, _CHOICE | _CALLS))
        if judged_criteria.tool_declarations(*turns).text:
            return Measurement(overall=await self._checklist.decide(case, _CHOICE))
        return Measurement(
            overall=Outcome.not_applicable("no tool was called, and no declared tool is on record")
        )
