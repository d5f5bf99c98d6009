"""What every agent adapter must keep."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar
from unittest import SkipTest

from adjudge.extension.protocols import AgentAdapter, SessionRequest
from adjudge.extension.specs import AgentAdapterSpec
from adjudge.model.eval_set import SessionInput
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.model.step import Step
from adjudge.testing.conformance.component import ComponentConformance


class AgentAdapterConformance(ComponentConformance[AgentAdapterSpec]):
    """Subclass it, set ``component``, and give options with a ``target`` that answers ``messages``."""

    kind: ClassVar[str] = "agent_adapters"
    eval_id: ClassVar[str] = "conformance"
    messages: ClassVar[tuple[str, ...]] = ("hello",)
    """What the user says, turn by turn."""
    replays: ClassVar[bool] = False
    """Whether sessions show what was recorded, whatever state they are given."""

    def request(self, **state: Any) -> SessionRequest:
        """The session to open; it has a state only where the adapter takes one."""
        session_input = SessionInput(
            app_name="app", user_id="user", state=state if self.spec.takes_state else {}
        )
        return SessionRequest(
            eval_id=self.eval_id, repeat=1, session_input=session_input, turns=len(self.messages)
        )

    def test_every_message_is_answered(self, tmp_path: Path) -> None:
        """A turn comes back for every message, and its steps were emitted as they happened."""
        adapter: AgentAdapter = self.build(tmp_path)

        async def converse() -> tuple[list[Invocation], list[Step]]:
            emitted: list[Step] = []
            session = await adapter.open_session(self.request(), emitted.append)
            turns = [await session.send(Content.of_text(message, role="user")) for message in self.messages]
            json.dumps(session.state, allow_nan=False)
            await session.aclose()
            return turns, emitted

        turns, emitted = asyncio.run(converse())
        for message, turn in zip(self.messages, turns, strict=True):
            assert isinstance(turn, Invocation), f"send returned {type(turn).__name__}"  # pyright: ignore[reportUnnecessaryIsInstance]
            assert turn.user_content.text == message, "the turn does not hold the user's message"
        steps = sum(len(turn.steps) for turn in turns)
        assert len(emitted) == steps, f"{len(emitted)} steps were emitted, the turns have {steps}"

    def test_a_session_can_be_closed_unused(self, tmp_path: Path) -> None:
        """A case that is cancelled before its first turn is closed like any other."""
        adapter: AgentAdapter = self.build(tmp_path)

        async def open_and_close() -> None:
            session = await adapter.open_session(self.request(), _ignore)
            await session.aclose()

        asyncio.run(open_and_close())

    def test_a_session_starts_with_the_state_that_it_is_given(self, tmp_path: Path) -> None:
        """What the case says about the session reaches the agent."""
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
        """A turn in one open session changes nothing in another."""
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
    """A live view that nobody looks at."""
