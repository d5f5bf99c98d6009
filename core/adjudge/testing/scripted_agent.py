"""An agent that replays the turns given in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from adjudge.extension.protocols import Emit, SessionRequest
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content, ToolCall
from adjudge.model.step import Step

Call: TypeAlias = "str | tuple[str, Mapping[str, Any]] | ToolCall"
"""A tool call: its name, its name and arguments, or the call itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn. The steps are emitted first, then the agent waits, raises, hangs or answers."""

    text: str | None = None
    calls: Sequence[Call] = ()
    state: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Merged into the session's state."""
    delay: float = 0.0
    """Seconds before the answer."""
    error: Exception | None = None
    """Raised instead of an answer."""
    hangs: bool = False
    """Whether the agent never answers."""


Reply: TypeAlias = "str | tuple[Sequence[Call], str] | Invocation | Exception | Turn"
"""A turn: a text, calls and a text, a whole invocation, an exception to raise, or a ``Turn``."""

Script: TypeAlias = (
    "Sequence[Reply] | Mapping[str, Sequence[Reply]] | Callable[[SessionRequest], Sequence[Reply]]"
)


class ScriptedAgent:
    """An agent for tests: an ``AgentAdapter``, and an agent with sessions for the Python API.

    ``sessions`` contains all opened sessions, in order.
    """

    def __init__(self, script: Script, *, delay: float = 0.0) -> None:
        """Create an agent.

        Args:
            script: The turns of every session; or the turns by ``eval_id``; or a function from the ``SessionRequest``
                to turns, for instance for different answers in each repeat.
            delay: Seconds before every answer, in addition to the turn's own delay.
        """
        self.sessions: list[ScriptedSession] = []
        self._script = script
        self._delay = delay

    async def open_session(self, request: SessionRequest, emit: Emit) -> ScriptedSession:
        """Open a session with a copy of the request's state.

        Raises:
            LookupError: the script has no turns for this case.
        """
        session = ScriptedSession(request, self._turns(request), emit, self._delay)
        self.sessions.append(session)
        return session

    def _turns(self, request: SessionRequest) -> Sequence[Reply]:
        if callable(self._script):
            return self._script(request)
        if isinstance(self._script, Mapping):
            if request.eval_id not in self._script:
                raise LookupError(f"ScriptedAgent has no turns for case {request.eval_id!r}")
            return self._script[request.eval_id]
        return self._script


class ScriptedSession:
    """A session of a ``ScriptedAgent``, with a record of its calls."""

    def __init__(self, request: SessionRequest, replies: Sequence[Reply], emit: Emit, delay: float) -> None:
        self.request = request
        self.received: list[Content] = []
        """All messages of the user, in order."""
        self.closed = 0
        """The number of calls of ``aclose``."""
        self._replies = replies
        self._emit = emit
        self._delay = delay
        self._state = deepcopy(request.session_input.state)
        self._steps = 0

    async def send(self, content: Content) -> Invocation:
        """Return the next turn of the script.

        Raises:
            LookupError: the script has no further turn.
            Exception: the turn is an exception.
        """
        position = len(self.received)
        self.received.append(content)
        if position >= len(self._replies):
            raise LookupError(
                f"ScriptedAgent has {len(self._replies)} turns, turn {position + 1} was asked for"
            )
        reply = self._replies[position]
        turn = _turn(reply)
        steps = reply.steps if isinstance(reply, Invocation) else self._steps_of(turn)
        for step in steps:
            self._emit(step)
        if turn.hangs:
            await asyncio.Event().wait()
        await asyncio.sleep(self._delay + turn.delay)
        if turn.error is not None:
            raise turn.error
        self._state.update(deepcopy(dict(turn.state)))
        if isinstance(reply, Invocation):
            return reply
        answer = None if turn.text is None else Content.of_text(turn.text, role="model")
        return Invocation(user_content=content, steps=steps, final_response=answer)

    @property
    def state(self) -> Mapping[str, Any] | None:
        """A copy of the current session state."""
        return deepcopy(self._state)

    async def aclose(self) -> None:
        """Count the call."""
        self.closed += 1

    def _steps_of(self, turn: Turn) -> tuple[Step, ...]:
        steps: list[Step] = []
        for call in turn.calls:
            self._steps += 1
            steps.append(Step(number=self._steps, items=(_call(call),)))
        return tuple(steps)


def _turn(reply: Reply) -> Turn:
    match reply:
        case Turn():
            return reply
        case str():
            return Turn(text=reply)
        case Exception():
            return Turn(error=reply)
        case Invocation():
            return Turn()
        case (calls, text):
            return Turn(calls=calls, text=text)


def _call(call: Call) -> ToolCall:
    match call:
        case ToolCall():
            return call
        case str():
            return ToolCall(name=call)
        case (name, args):
            return ToolCall(name=name, args=dict(args))
