"""Asks a judge whether each message of a simulated user fits the scenario and the persona."""

from __future__ import annotations

from typing import Final

from adjudge.kit import judged_criteria
from adjudge.kit.adk import persona_of
from adjudge.kit.user_simulation import conversation_seen, filled
from adjudge.model import Choice, ConversationScenario, Exhibit, Invocation, JudgedItem, Question, UserPersona
from adjudge.plugin import CaseUnderTest, Judge, Measurement, Outcome
from adjudge_plugins.criteria.judged.per_turn_user_simulator_quality.config import UserSimulatorQualityConfig

_CHOICES: Final = (
    Choice(label="pass", meaning="the next message does nothing that is forbidden", value=1.0),
    Choice(label="fail", meaning="the next message does something that is forbidden", value=0.0),
)
_ITEM: Final = JudgedItem(item_id="next message", text="Does the next message pass or fail?")
_NOTES: Final = {
    "rationale": "what is forbidden and the message does, or that there is nothing of the kind; one or two sentences"
}
_ENDED_BY_LIMIT: Final = "turn_limit"


class UserSimulatorQuality:
    """The share of turns in which the simulated user followed its scenario, from 0 to 1.

    The first message must equal the starting prompt, except for white space; no judge is asked about it. For
    every further message a judge decides by the plan, the conversation, and the behaviours that the persona
    excludes. The judge also decides whether the user was right to end the conversation; if not, the last turn
    scores 0.0. This is skipped if a limit of turns ended the conversation.
    """

    def __init__(self, config: UserSimulatorQualityConfig, judge: Judge) -> None:
        """Score with ``judge``."""
        self._judge = judge
        self._stop_signal = config.stop_signal
        self._prompt = judged_criteria.read_prompt(__package__, "per_turn_user_simulator_quality_v1")
        self._default = judged_criteria.read_prompt(__package__, "without_persona").text

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        scenario = case.case.conversation_scenario
        if scenario is None:
            return Measurement(overall=Outcome.not_applicable("no user was simulated in this conversation"))
        turns = case.actual.invocations
        if not turns:
            return Measurement(overall=Outcome.not_applicable("the conversation has no turns"))
        asked = [
            self._message(scenario, turns[:at], judged_criteria.said(turn.user_content))
            for at, turn in enumerate(turns)
            if at
        ]
        simulation = case.actual.simulation
        if simulation is None or simulation.stop_reason != _ENDED_BY_LIMIT:
            asked.append(self._message(scenario, turns, self._stop_signal))
        found = list(await judged_criteria.together(asked))
        outcomes = [_first(scenario, turns[0]), *found[: len(turns) - 1]]
        if len(found) == len(turns):
            outcomes[-1] = _with_end(outcomes[-1], found[-1])
        reasons = [
            f"turn {number}: {outcome.reasoning}"
            for number, outcome in enumerate(outcomes, 1)
            if outcome.score != 1.0 and outcome.reasoning
        ]
        return Measurement(per_invocation=tuple(outcomes), reasoning="; ".join(reasons) or None)

    async def _message(
        self, scenario: ConversationScenario, earlier: tuple[Invocation, ...], message: str
    ) -> Outcome:
        exhibits = judged_criteria.not_blank(
            Exhibit(name="conversation plan", text=scenario.conversation_plan),
            Exhibit(name="user and what is forbidden", text=self._rules(persona_of(scenario))),
            conversation_seen(earlier, stop_signal=self._stop_signal),
            Exhibit(name="next message", text=message),
        )
        question = Question(
            prompt=self._prompt, exhibits=exhibits, items=(_ITEM,), choices=_CHOICES, notes=_NOTES
        )
        [decision] = await self._judge.decide(question)
        return judged_criteria.outcome_of(decision)

    def _rules(self, persona: UserPersona | None) -> str:
        lines = [self._default] if persona is None else [persona.description]
        for behavior in () if persona is None else persona.behaviors:
            lines += ["", f"{behavior.name}: {behavior.description}", "Forbidden:"]
            lines += [f"- {violation}" for violation in behavior.violation_rubrics]
        lines += ["", f"The message {self._stop_signal} ends the conversation."]
        return filled("\n".join(lines), {"stop_signal": self._stop_signal})


def _first(scenario: ConversationScenario, turn: Invocation) -> Outcome:
    said = judged_criteria.said(turn.user_content).strip()
    if said == scenario.starting_prompt.strip():
        return Outcome.scored(1.0, "the user began with the starting prompt; no judge was asked")
    return Outcome.scored(0.0, "the user did not begin with the starting prompt; no judge was asked")


def _with_end(last: Outcome, end: Outcome) -> Outcome:
    """Combine the outcomes of the last turn and of the end: the worse one counts, and its details show both."""
    details = {**last.details, "end": {"score": end.score, "reasoning": end.reasoning, **end.details}}
    if last.score == 0.0 or end.score == 1.0:
        return last.model_copy(update={"details": details})
    reasoning = f"the end was wrong: {end.reasoning}" if end.score == 0.0 else end.reasoning
    return end.model_copy(update={"details": details, "reasoning": reasoning})
