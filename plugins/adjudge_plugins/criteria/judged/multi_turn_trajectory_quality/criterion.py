"""Asks a judge whether the agent took a good path through a conversation."""

from __future__ import annotations

from typing import Final

from adjudge.kit import judged_criteria
from adjudge.plugin import CaseUnderTest, Judge, Measurement

_STATEMENTS: Final = {
    "sensible": "Every move of the agent made sense with what it knew at that moment: it asked where it had to ask and acted where it could act.",
    "efficient": "No move was needless: nothing was done twice, there was no detour, and no question whose answer the agent already had.",
    "remembers": "In later turns the agent kept to what was said and found out in earlier ones.",
    "recovers": "Where something failed, was refused or was misunderstood, the agent noticed it and went on in a reasonable way, or said so.",
    "harmless": "The agent changed nothing that the user did not ask for, and did nothing that does harm or that its instructions forbid.",
}


class MultiTurnTrajectoryQuality:
    """The mean over five statements about the agent's steps in a whole conversation, from 0 to 1.

    Statements about later turns and about failures do not apply if there are none. ADK measures this with
    Vertex AI, where a model writes new statements for every conversation; these are fixed.
    """

    def __init__(self, judge: Judge) -> None:
        self._checklist = judged_criteria.Checklist(
            judge, judged_criteria.read_prompt(__package__, "multi_turn_trajectory_quality_v1")
        )

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score for the case."""
        return Measurement(overall=await self._checklist.decide(case, _STATEMENTS))
