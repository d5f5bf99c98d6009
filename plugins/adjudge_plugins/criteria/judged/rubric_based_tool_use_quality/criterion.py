"""Asks a judge whether the use of tools has the properties in the rubrics."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome


class ToolUseQuality:
    """The mean over the turns of the mean over each turn's rubrics: yes is 1.0, no is 0.0 (seed 004).

    The judge sees every call with its response, in order, among the texts of the agent.
    """

    def __init__(self, config: judged_criteria.RubricsConfig, judge: Judge) -> None:
        prompt = judged_criteria.read_prompt(__package__, "rubric_based_tool_use_quality_v1")
        self._rubrics = judged_criteria.RubricJudge(judge, prompt, config, kind="TOOL_USE_QUALITY")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return await judged_criteria.turn_by_turn(case, self._turn)

    async def _turn(self, turn: judged_criteria.TurnUnderTest) -> Outcome:
        exhibits = judged_criteria.not_blank(
            judged_criteria.agent_instructions(turn.actual),
            judged_criteria.tool_declarations(turn.actual),
            judged_criteria.earlier_turns(turn.earlier),
            judged_criteria.user_prompt(turn.actual),
            judged_criteria.agent_moves(turn.actual),
            judged_criteria.agent_response(turn.actual),
        )
        return await self._rubrics.judge_turn(turn, exhibits)
