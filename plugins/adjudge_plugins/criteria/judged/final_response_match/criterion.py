"""Asks a judge whether final responses match their references."""

from __future__ import annotations

from adjudge.kit import judged_criteria
from adjudge.model import Choice, Invocation, JudgedItem, Question
from adjudge.plugin import (
    CaseUnderTest,
    Judge,
    Measurement,
    Outcome,
)
from adjudge_plugins.criteria.judged.final_response_match.config import FinalResponseMatchConfig

_CHOICES = (
    Choice(
        label="valid",
        meaning="everything that the reference response says in answer to the user is there, and correct",
        value=1.0,
    ),
    Choice(
        label="invalid",
        meaning="something of it is missing, wrong or contradicted; almost or partly correct is invalid too",
        value=0.0,
    ),
)
_ITEM = JudgedItem(item_id="agent_response", text="Is the agent response valid or invalid?")


class FinalResponseMatch:
    """1.0 for a turn whose final response a majority of the votes finds valid, else 0.0 (seed 004).

    A turn without a reference response, or with a blank one, is not applicable. A missing or blank response
    scores 0.0 without a judge call.
    """

    def __init__(self, config: FinalResponseMatchConfig, judge: Judge) -> None:
        self._with_intermediate = config.include_intermediate_responses_in_final
        self._judge = judge
        self._prompt = judged_criteria.read_prompt(__package__, "final_response_match_v2")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return await judged_criteria.turn_by_turn(case, self._turn)

    async def _turn(self, turn: judged_criteria.TurnUnderTest) -> Outcome:
        if turn.expected is None or not self._answer(turn.expected).strip():
            return Outcome.not_applicable("the turn has no reference response")
        if not self._answer(turn.actual).strip():
            return Outcome.scored(0.0, "the agent gave no answer; the judge was not called")
        [decision] = await self._judge.decide(
            Question(
                prompt=self._prompt,
                exhibits=judged_criteria.not_blank(
                    judged_criteria.user_prompt(turn.expected),
                    judged_criteria.reference_response(
                        turn.expected, with_intermediate=self._with_intermediate
                    ),
                    judged_criteria.agent_response(turn.actual, with_intermediate=self._with_intermediate),
                ),
                items=(_ITEM,),
                choices=_CHOICES,
            )
        )
        return judged_criteria.outcome_of(decision)

    def _answer(self, turn: Invocation) -> str:
        return judged_criteria.answer(turn, with_intermediate=self._with_intermediate)
