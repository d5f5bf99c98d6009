"""Asks a judge whether final responses have the properties in the rubrics."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome
from adjudge_plugins.criteria.judged.rubric_based_final_response_quality.config import (
    FinalResponseQualityConfig,
)


class FinalResponseQuality:
    """The mean over the turns of the mean over each turn's rubrics: yes is 1.0, no is 0.0 (seed 004).

    The judge sees the final response, and the agent's instructions and tool results to check it against.
    For a turn without a response every rubric is 0.0, without a judge call.
    """

    def __init__(self, config: FinalResponseQualityConfig, judge: Judge) -> None:
        self._with_intermediate = config.include_intermediate_responses_in_final
        prompt = judged_criteria.read_prompt(__package__, "rubric_based_final_response_quality_v1")
        self._rubrics = judged_criteria.RubricJudge(judge, prompt, config, kind="FINAL_RESPONSE_QUALITY")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return await judged_criteria.turn_by_turn(case, self._turn)

    async def _turn(self, turn: judged_criteria.TurnUnderTest) -> Outcome:
        response = judged_criteria.agent_response(turn.actual, with_intermediate=self._with_intermediate)
        exhibits = judged_criteria.not_blank(
            judged_criteria.agent_instructions(turn.actual),
            judged_criteria.tool_declarations(turn.actual),
            judged_criteria.earlier_turns(turn.earlier),
            judged_criteria.user_prompt(turn.actual),
            judged_criteria.agent_moves(turn.actual),
            response,
        )
        answered = response.text.strip()
        unmet = None if answered else "the agent gave no answer; the judge was not called"
        return await self._rubrics.judge_turn(turn, exhibits, unmet=unmet)
