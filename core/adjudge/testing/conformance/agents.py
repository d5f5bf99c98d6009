"""Conformance tests of agent adapters."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar
from unittest import SkipTest

from adjudge.extension.protocols import (
    AgentAdapter,
    CaseFacts,
    SessionRequest,
    SupportsDescription,
    SupportsFingerprint,
    SupportsPlanCheck,
    SupportsPlanNotes,
)
from adjudge.extension.specs import AgentAdapterSpec
from adjudge.model.eval_set import SessionInput
from adjudge.model.invocation import AppDetails, Invocation
from adjudge.model.items import Content
from adjudge.model.step import Step
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.values import json_object, messages, same_document
from adjudge.testing.conformance.watching import watched


class AgentAdapterConformance(ComponentConformance[AgentAdapterSpec]):
    """Tests of an agent adapter. Subclass it, and set ``component`` and options with a ``target``."""

    kind: ClassVar[str] = "agent_adapters"
    eval_id: ClassVar[str] = "conformance"
    messages: ClassVar[tuple[str, ...]] = ("hello",)
    """The user's messages, one per turn; the target must answer them."""
    replays: ClassVar[bool] = False
    """Whether sessions replay recordings, and so ignore their initial state."""

    def request(self, **state: Any) -> SessionRequest:
        """The request for a session; it has a state only if the adapter supports one."""
        session_input = SessionInput(
            app_name="app", user_id="user", state=state if self.spec.takes_state else {}
        )
        return SessionRequest(
            eval_id=self.eval_id, repeat=1, session_input=session_input, turns=len(self.messages)
        )

    def test_every_message_is_answered(self, tmp_path: Path) -> None:
        """Every message is answered with an invocation, and its steps are emitted as they happen."""
        adapter: AgentAdapter = self.build(tmp_path)

        async def converse() -> tuple[list[Invocation], list[Step]]:
            emitted: list[Step] = []
            session = await adapter.open_session(self.request(), emitted.append)
            turns = [await session.send(Content.of_text(message, role="user")) for message in self.messages]
            if session.state is not None:
                json_object("state", session.state)
            await session.aclose()
            return turns, emitted

        with watched("a session"):
            turns, emitted = asyncio.run(converse())
        for message, turn in zip(self.messages, turns, strict=True):
            assert isinstance(turn, Invocation), f"send returned {type(turn).__name__}"  # pyright: ignore[reportUnnecessaryIsInstance]
            assert turn.user_content.text == message, "the turn does not contain the user's message"
        steps = sum(len(turn.steps) for turn in turns)
        assert len(emitted) == steps, f"{len(emitted)} steps were emitted, the turns have {steps}"
        kept = [step.items for turn in turns for step in turn.steps]
        assert [step.items for step in emitted] == kept, (
            "the steps that were emitted are not those of the turns"
        )
        for turn in turns:
            numbers = [step.number for step in turn.steps]
            assert len(set(numbers)) == len(numbers), f"two steps of a turn have one number: {numbers}"
            turn.model_dump_json()

    def test_what_it_says_of_a_plan_are_messages(self, tmp_path: Path) -> None:
        """``check_plan`` and ``plan_notes`` return messages."""
        adapter: AgentAdapter = self.build(tmp_path)
        cases = [
            CaseFacts(eval_id=self.eval_id, turns=len(self.messages)),
            CaseFacts(eval_id="none", turns=0),
        ]
        if isinstance(adapter, SupportsPlanCheck):
            with watched("check_plan", never_waits=True):
                messages("check_plan", adapter.check_plan(cases))
        if isinstance(adapter, SupportsPlanNotes):
            messages("plan_notes", adapter.plan_notes())

    def test_its_fingerprint_is_json_and_stays_the_same(self, tmp_path: Path) -> None:
        """The fingerprint is JSON and stable: a run is resumed only if it is unchanged."""
        adapter, again = self.build(tmp_path), self.build(tmp_path)
        if not isinstance(adapter, SupportsFingerprint):
            raise SkipTest("it has no fingerprint")
        same_document("fingerprint", adapter.fingerprint, adapter.fingerprint, again.fingerprint)

    def test_it_describes_its_agents(self, tmp_path: Path) -> None:
        """``describe`` works before any session, and its result can be converted to JSON."""
        adapter: AgentAdapter = self.build(tmp_path)
        if not isinstance(adapter, SupportsDescription):
            raise SkipTest("it describes nothing")
        self.awaited("describe", adapter.describe, AppDetails).model_dump_json()

    def test_a_session_can_be_closed_unused(self, tmp_path: Path) -> None:
        """A session can be closed before its first turn, because a case may be cancelled then."""
        adapter: AgentAdapter = self.build(tmp_path)

        async def open_and_close() -> None:
            session = await adapter.open_session(self.request(), _ignore)
            await session.aclose()

        asyncio.run(open_and_close())

    def test_a_session_starts_with_the_state_that_it_is_given(self, tmp_path: Path) -> None:
        """The initial state of the case reaches the agent."""
        if self.replays or not (self.spec.takes_state and self.spec.shows_state):
            raise SkipTest("the adapter does not take and show a state of its own")
        adapter: AgentAdapter = self.build(tmp_path)

        async def first_state() -> dict[str, Any] | None:
            session = await adapter.open_session(self.request(conformance="given"), _ignore)
            seen = None if session.state is None else dict(session.state)
            await session.aclose()
            return seen

        state = asyncio.run(first_state())
        if state is None:
            raise SkipTest("this agent does not show its state")
        assert state.get("conformance") == "given", f"the session starts with {state}"

    def test_sessions_do_not_share_state(self, tmp_path: Path) -> None:
        """A turn in one open session does not change another session."""
        adapter: AgentAdapter = self.build(tmp_path)

        async def states() -> list[dict[str, Any] | None]:
            busy = await adapter.open_session(self.request(conformance="busy"), _ignore)
            idle = await adapter.open_session(self.request(conformance="idle"), _ignore)
            before = deepcopy(idle.state)
            await busy.send(Content.of_text(self.messages[0], role="user"))
            after = deepcopy(idle.state)
            for session in (busy, idle):
                await session.aclose()
            return [None if state is None else dict(state) for state in (before, after)]

        before, after = asyncio.run(states())
        assert before == after, f"a turn in another session made {after} of {before}"


def _ignore(step: Step) -> None:
    """Ignore an emitted step."""
