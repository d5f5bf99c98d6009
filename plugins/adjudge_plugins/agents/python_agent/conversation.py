"""One session with a Python agent."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from adjudge.model import Content, Invocation
from adjudge.plugin import AgentError, Emit
from adjudge_plugins.agents.python_agent.answers import answered, json_copy
from adjudge_plugins.agents.python_agent.calling import Caller


class Conversation:
    """Measures the duration of turns, converts the answers, and copies the state after each turn."""

    def __init__(
        self,
        caller: Caller,
        send: Callable[[Content], Awaitable[Any]],
        owner: object,
        emit: Emit | None,
        state: Callable[[], object],
    ) -> None:
        """Store the parts of the conversation.

        Args:
            caller: Calls the agent's code.
            send: Sends one message to the agent, through ``caller``.
            owner: The object to close at the end, if it can be closed.
            emit: Called with the steps of each finished turn; ``None`` if the agent emits them itself.
            state: Returns the state after each turn.
        """
        self._caller = caller
        self._send = send
        self._owner = owner
        self._emit = emit
        self._read_state = state
        self._state = self._state_now()

    async def send(self, content: Content) -> Invocation:
        """Run one turn."""
        start = time.perf_counter()
        answer = await self._send(content)
        turn = answered(answer, content, time.perf_counter() - start)
        if self._emit is not None:
            for step in turn.steps:
                self._emit(step)
        self._state = self._state_now()
        return turn

    @property
    def state(self) -> Mapping[str, Any] | None:
        """The state after the last finished turn."""
        return self._state

    async def aclose(self) -> None:
        """Close the object that the agent's code created for this session.

        Raises:
            AgentError: a cancelled turn is still running (``left_running``).
        """
        await close(self._caller, self._owner)
        if (left := self._caller.left_running) is not None:
            raise AgentError(left, code="left_running", retryable=True)

    def _state_now(self) -> Mapping[str, Any] | None:
        state = self._read_state()
        if state is None:
            return None
        if not isinstance(state, Mapping):
            raise AgentError(
                f"the state of the session is an object of type {type(state).__name__}, not a mapping",
                code="bad_answer",
            )
        copied: dict[str, Any] = json_copy(dict(cast("Mapping[str, Any]", state)), "the state of the session")
        return copied


async def close(caller: Caller, owner: object) -> None:
    """Call ``aclose`` or ``close`` of ``owner`` if it has one, then let the session's thread end."""
    try:
        for name in ("aclose", "close"):
            method = getattr(owner, name, None)
            if callable(method):
                await caller.call(method)
                return
    finally:
        caller.stop()
