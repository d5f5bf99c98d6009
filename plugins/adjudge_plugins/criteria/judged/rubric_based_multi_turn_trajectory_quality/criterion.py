"""Asks a judge whether a whole conversation has the properties in the rubrics."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome


class MultiTurnTrajectoryQuality:
    """The mean over the rubrics of a case, judged on the whole conversation: yes is 1.0, no is 0.0.

    There is one outcome for the case and none per turn (ADK reports the score as that of the last turn).
    """

    def __init__(self, config: judged_criteria.RubricsConfig, judge: Judge) -> None:
        prompt = judged_criteria.read_prompt(__package__, "rubric_based_multi_turn_trajectory_quality_v1")
        self._rubrics = judged_criteria.RubricJudge(judge, prompt, config, kind="TRAJECTORY_QUALITY")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score for the case."""
        turns = case.actual.invocations
        if not turns:
            return Measurement(overall=Outcome.not_applicable("the conversation has no turns"))
        exhibits = judged_criteria.not_blank(
            judged_criteria.agent_instructions(*turns),
            judged_criteria.tool_declarations(*turns),
            judged_criteria.conversation(turns),
        )
        return Measurement(overall=await self._rubrics.judge_case(case, exhibits))
