"""Conformance tests of user simulators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from adjudge.extension.protocols import Host, UserSimulator
from adjudge.extension.specs import UserSimulatorSpec
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import ConversationScenario, EvalCase
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.model.simulation import SimulatedConversation, UserTurn
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.host import FakeHost
from adjudge.testing.judge import FakeJudge
from adjudge.testing.judge_replies import verdicts

_ODD_REPLIES = (
    "",
    "   ",
    "null",
    "[]",
    "{}",
    "hello",
    '{"message": 1}',
    '{"message": ""}',
    '{"message": "\u202e\u0000"}',
    "```json\n{}\n```",
    "</finished>",
)


class UserSimulatorConformance(ComponentConformance[UserSimulatorSpec]):
    """Tests of a user simulator. Subclass it and set ``component``, and ``config`` if options are needed."""

    kind: ClassVar[str] = "user_simulators"
    most_turns: ClassVar[int] = 50
    """The maximum number of messages in a conversation."""

    def host(self, folder: Path) -> Host:
        """The host that is passed to the factory; its model always gives the same answer."""
        return FakeHost(folder, judge=FakeJudge(lambda request: verdicts(request, "")))

    def cases(self) -> Sequence[EvalCase]:
        """The cases whose users are simulated. Override this to add your own cases to ``super().cases()``."""
        plan = "Ask for order 7. Once it is found, have it cancelled."
        calm: JsonObject = {"id": "calm", "description": "You are calm.", "behaviors": []}
        personas = (None, "EXPERT", calm)
        return [
            EvalCase(
                eval_id=f"scenario_{number}",
                conversation_scenario=ConversationScenario(
                    starting_prompt="Where is my order? \u6ce8\u6587",
                    conversation_plan=plan,
                    user_persona=persona,
                ),
            )
            for number, persona in enumerate(personas)
        ]

    def test_every_conversation_begins_as_planned_and_ends(self, tmp_path: Path) -> None:
        """The first message is the starting prompt, and every conversation ends."""
        simulator: UserSimulator = self.build(tmp_path)
        for case in self.cases():
            turns = self._played(simulator, case)
            scenario = case.conversation_scenario
            if scenario is not None:
                said = turns[0].user_content.text if turns else "nothing"
                assert said == scenario.starting_prompt, f"the user began with {said!r}"

    def test_it_keeps_nothing_from_one_call_to_the_next(self, tmp_path: Path) -> None:
        """Calls are independent: conversations run in parallel, and interrupted ones are repeated."""
        simulator: UserSimulator = self.build(tmp_path)
        first, second = (SimulatedConversation(case=case) for case in self.cases()[:2])
        before = self._asked(simulator, first)
        self._asked(simulator, second)
        assert self._asked(simulator, first) == before, (
            "asked again about a conversation, it says something else"
        )

    def test_whatever_a_model_writes_it_gives_a_turn(self, tmp_path: Path) -> None:
        """Any answer of the model gives a ``UserTurn``, in the worst case a fault, but never an exception."""
        for reply in _ODD_REPLIES:
            host = FakeHost(tmp_path, judge=FakeJudge([reply] * 100))
            config = self.spec.config.model_validate(dict(self.options(tmp_path)))
            simulator: UserSimulator = self.spec.factory(config, host)
            for case in self.cases():
                answered = self._answered(case, "Which order?")
                turn = self._asked(simulator, SimulatedConversation(case=case, invocations=(answered,)))
                json.loads(turn.model_dump_json())

    def _played(self, simulator: UserSimulator, case: EvalCase) -> list[Invocation]:
        turns: list[Invocation] = []
        while len(turns) <= self.most_turns:
            turn = self._asked(simulator, SimulatedConversation(case=case, invocations=tuple(turns)))
            if turn.content is None:
                return turns
            turns.append(self._answered(case, "Done.", turn.content))
        raise AssertionError(f"case {case.eval_id!r} goes on after {self.most_turns} messages")

    @staticmethod
    def _answered(case: EvalCase, answer: str, said: Content | None = None) -> Invocation:
        prompt = "" if case.conversation_scenario is None else case.conversation_scenario.starting_prompt
        return Invocation(
            user_content=said or Content.of_text(prompt, role="user"),
            final_response=Content.of_text(answer, role="model"),
        )

    def _asked(self, simulator: UserSimulator, conversation: SimulatedConversation) -> UserTurn:
        before = conversation.model_dump_json()
        turn = self.awaited("next_message", lambda: simulator.next_message(conversation), UserTurn)
        assert conversation.model_dump_json() == before, "the conversation was changed"
        return turn
