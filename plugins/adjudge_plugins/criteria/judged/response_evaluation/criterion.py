"""Asks a judge how coherent final responses are."""

from __future__ import annotations

from typing import Final

from adjudge.kit import judged_criteria
from adjudge.model import Choice, JudgedItem, Question
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome

_MEANINGS: Final = (
    "incoherent: no thread to follow, or not an answer to what the user said",
    "mostly incoherent: parts make sense, but they hardly belong together",
    "partly coherent: it can be followed with effort; gaps, leaps or a contradiction",
    "mostly coherent: clear and in order, with a small flaw in a transition or in the order",
    "coherent: every part follows from the one before, and all of it answers the user",
)
_CHOICES: Final = tuple(
    Choice(label=str(grade), meaning=meaning, value=float(grade))
    for grade, meaning in enumerate(_MEANINGS, start=1)
)
_ITEM: Final = JudgedItem(item_id="agent response", text="How coherent is the agent response?")


class ResponseEvaluation:
    """The coherence of a turn's final response, from 1 to 5: the median of the votes.

    ADK measures this with the prebuilt metric COHERENCE of Vertex AI's evaluation service, on the same
    scale. A turn without a text response is not applicable.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._prompt = judged_criteria.read_prompt(__package__, "response_evaluation_score")

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return await judged_criteria.turn_by_turn(case, self._turn)

    async def _turn(self, turn: judged_criteria.TurnUnderTest) -> Outcome:
        final = turn.actual.final_response
        if final is None or not final.text.strip():
            return Outcome.not_applicable("the agent gave no answer in words in this turn")
        [decision] = await self._judge.decide(
            Question(
                prompt=self._prompt,
                exhibits=judged_criteria.not_blank(
                    judged_criteria.earlier_turns(turn.earlier),
                    judged_criteria.user_prompt(turn.actual),
                    judged_criteria.agent_response(turn.actual),
                ),
                items=(_ITEM,),
                choices=_CHOICES,
                rule="median",
            )
        )
        return judged_criteria.outcome_of(decision)
