"""Simulates a user with a model that writes the user's next message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from adjudge.kit.adk import persona_of
from adjudge.kit.judged_criteria import read_prompt
from adjudge.kit.user_simulation import STOP_SIGNAL, conversation_seen, filled, placeholders_in
from adjudge.model import (
    Content,
    ConversationScenario,
    Failure,
    Prompt,
    SimulatedConversation,
    UserPersona,
    UserTurn,
)
from adjudge.plugin import CaseFacts, Judge
from adjudge_plugins.simulators.llm_backed_simulator.config import PERSONA, LlmBackedConfig

_FIELDS: Final = {
    "thought": "for nobody but you, in at most three short sentences: what the agent's last message does, what the "
    "user still wants, and what the user does now",
    "message": f"what the user says now, word for word; only {STOP_SIGNAL} where the conversation is over",
}
_HISTORY: Final = "(It stands in the material below, under the name conversation, one JSON object a line.)"


class LlmBackedSimulator:
    """Sends the starting prompt, then a model's messages until the model or a limit ends the conversation.

    The model gets the plan and the persona as instructions, and the conversation so far as data: instructions
    in the agent's answers are words to the user, not to the model.
    """

    def __init__(self, config: LlmBackedConfig, judge: Judge) -> None:
        """Use the first model of ``judge`` to simulate the user."""
        self._config = config
        self._judge = judge
        self._words = read_prompt(__package__, "llm_backed")
        self._behaviour = read_prompt(__package__, "without_persona").text

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Report the first case with a persona whose placeholder the custom instructions lack."""
        instructions = self._config.custom_instructions
        if instructions is not None and PERSONA not in placeholders_in(instructions):
            for case in cases:
                if case.has_persona:
                    yield (
                        f"case {case.eval_id!r} has a user_persona, and custom_instructions have no "
                        "{{persona}}: add it to them"
                    )
                    return

    async def next_message(self, conversation: SimulatedConversation) -> UserTurn:
        """Return the starting prompt, the model's next message, or the end of the conversation."""
        scenario = conversation.case.conversation_scenario
        if scenario is None:
            return UserTurn.failed("no_scenario", "the case has no conversation_scenario")
        said = len(conversation.invocations)
        most = self._config.max_allowed_invocations
        if most != -1 and said >= most:
            return UserTurn(stop="turn_limit", note=f"max_allowed_invocations is {most}")
        if not said:
            return UserTurn(content=Content.of_text(scenario.starting_prompt, role="user"))
        exhibit = conversation_seen(conversation.invocations, with_calls=self._config.include_function_calls)
        written = await self._judge.speak(
            self._prompt(scenario), (exhibit,), _FIELDS, sample=conversation.repeat - 1
        )
        if isinstance(written, Failure):
            return UserTurn(fault=written)
        message, thought = written["message"], written["thought"]
        if STOP_SIGNAL in message.lower():
            return UserTurn(stop="stop_signal", note=thought or None)
        if not message:
            return UserTurn(stop="no_message", note=thought or None)
        return UserTurn(content=Content.of_text(message, role="user"))

    def _prompt(self, scenario: ConversationScenario) -> Prompt:
        persona = persona_of(scenario)
        template = self._config.custom_instructions or self._words.text
        values = {
            "stop_signal": STOP_SIGNAL,
            "conversation_plan": scenario.conversation_plan,
            "conversation_history": _HISTORY,
            PERSONA: self._behaviour if persona is None else _described(persona),
        }
        values[PERSONA] = filled(values[PERSONA], {"stop_signal": STOP_SIGNAL})
        return self._words.model_copy(update={"text": filled(template, values)})


def _described(persona: UserPersona) -> str:
    """Format a persona for the prompt."""
    lines = [persona.description]
    for behavior in persona.behaviors:
        lines += ["", f"## {behavior.name}", behavior.description]
        lines += [f"- {instruction}" for instruction in behavior.behavior_instructions]
    return "\n".join(lines)
