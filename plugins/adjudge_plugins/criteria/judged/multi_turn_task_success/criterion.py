"""Asks a judge whether a conversation reached the user's goal."""

from __future__ import annotations

from typing import Final

from adjudge.kit import judged_criteria
from adjudge.plugin import CaseUnderTest, Judge, Measurement

_STATEMENTS: Final = {
    "goals_reached": "By the end of the conversation every goal that the user stated, and did not take back, was reached.",
    "as_asked": "There is a result, and it keeps to every condition, choice and correction that the user stated.",
    "shown": "There is a result, and tool responses show it, or the answers themselves where no tool was needed; a promise or a claim is not enough.",
}


class MultiTurnTaskSuccess:
    """The mean over three statements about the whole conversation, from 0 to 1.

    A conversation that achieved nothing scores 0, a partial success scores in between. ADK measures this with
    Vertex AI, where a model writes new statements for every conversation; these are fixed.
    """

    def __init__(self, judge: Judge) -> None:
        self._checklist = judged_criteria.Checklist(
            judge, judged_criteria.read_prompt(__package__, "multi_turn_task_success_v1")
        )

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score for the case."""
        return Measurement(overall=await self._checklist.decide(case, _STATEMENTS))
