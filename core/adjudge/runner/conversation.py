"""A conversation: one session with the agent, turn by turn, and its outcome."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from adjudge.errors import AgentError, PluginError
from adjudge.extension.coroutine_guard import CLOSING, awaited
from adjudge.extension.guard import (
    Origin,
    PluginRaisedError,
    PluginTimeoutError,
    described,
    is_instance,
    lent,
)
from adjudge.extension.protocols import AgentSession, SessionRequest, SupportsRecordedUser
from adjudge.extension.shortage import shortage_of
from adjudge.model.base import told, validated_copy
from adjudge.model.eval_set import EvalCase, SessionInput
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory, numbered
from adjudge.runner.agent_traceback import Raised, raised_by_agent
from adjudge.runner.decision import Conversation
from adjudge.runner.plan import PlannedAgent
from adjudge.runner.simulation import PlannedSimulator, SimulatedUser

DEFAULT_SESSION: Final = SessionInput(user_id="test_user_id")
"""The default session input; the user id is the same as in ADK."""


class _Recorder:
    """Stores the turns and steps so far, for the partial trajectory of a case that fails."""

    def __init__(self) -> None:
        self.finished: list[Invocation] = []
        self.steps: list[Step] = []
        self.asked: Content | None = None

    def emit(self, step: object) -> None:
        if not is_instance(step, Step):
            raise AgentError(
                f"emit was given an object of type {type(step).__name__}, expected a Step", code="bad_answer"
            )
        self.steps.append(step)

    def begin(self, content: Content) -> None:
        self.asked = content
        self.steps.clear()

    def end(self, invocation: Invocation) -> None:
        self.finished.append(invocation)
        self.asked = None
        self.steps.clear()

    def invocations(self) -> tuple[Invocation, ...]:
        turns = list(self.finished)
        if self.asked is not None and self.steps:
            # The turn was not finished, so invalid steps are left out.
            steps: list[Step] = []
            for step in self.steps:
                with suppress(ValueError):
                    numbered_step = step.model_copy(update={"number": len(steps) + 1})
                    steps.append(validated_copy(Step, numbered_step))
            turns.append(Invocation(user_content=self.asked, steps=tuple(steps)))
        return numbered(turns)


class _WrittenUser:
    """A user with fixed messages, from the case or a recording, independent of the agent's answers."""

    failure = None
    fatal = None

    def __init__(self, words: Sequence[Content]) -> None:
        self._words = words

    async def next(self, turns: Sequence[Invocation]) -> Content | None:
        return self._words[len(turns)] if len(turns) < len(self._words) else None

    def simulation(self) -> None:
        """This user has no simulator."""


async def converse(
    agent: PlannedAgent,
    case: EvalCase,
    repeat: int,
    timeout: float | None,
    *,
    eval_set_id: str | None,
    simulator: PlannedSimulator | None,
) -> Conversation:
    """Run every turn of a case. Failures of the agent do not raise, and the time limit always holds.

    Raises:
        asyncio.CancelledError: the run was interrupted. The session is closed by then.
        RunError: the simulated user had a failure that affects the whole run.
    """
    words = None if case.conversation is None else [turn.user_content for turn in case.conversation]
    user = _WrittenUser(words or ()) if simulator is None else SimulatedUser(simulator, case, repeat)
    request = SessionRequest(
        eval_id=case.eval_id,
        repeat=repeat,
        eval_set_id=eval_set_id,
        session_input=lent(agent.component, case.session_input or DEFAULT_SESSION),
        turns=None if words is None else len(words),
        timeout=timeout,
    )
    session = _Session(agent, request, user)
    failure: Failure | None = None
    started = time.perf_counter()
    try:
        await awaited(agent.component, "the session", session.play, passing=(AgentError,), within=timeout)
    except (AgentError, PluginError) as error:
        failure = failure_of(agent, error, timeout)
    finally:
        duration = time.perf_counter() - started
        not_closed = await session.close()
    if user.fatal is not None:
        raise user.fatal
    return Conversation(
        trajectory=Trajectory(
            invocations=session.recorder.invocations(),
            eval_id=case.eval_id,
            agent=agent.target,
            session_id=request.session_input.session_id,
            final_session_state=session.state,
            duration=round(duration, 6),
            simulation=user.simulation(),
        ),
        failure=_both(failure or user.failure, not_closed),
        duration=duration,
    )


class _Session:
    """One session with the agent: opened, talked to, and closed exactly once."""

    def __init__(
        self, agent: PlannedAgent, request: SessionRequest, user: _WrittenUser | SimulatedUser
    ) -> None:
        self._agent = agent
        self._request = request
        self._user = user
        self._opened: AgentSession | None = None
        self._is_over = False
        self.recorder = _Recorder()
        self.state: dict[str, object] | None = None

    async def play(self) -> None:
        """Send every turn. An adapter may ignore its cancellation: results after the end are discarded."""
        opened = await self._agent.adapter.open_session(self._request, self.recorder.emit)
        if self._is_over:
            await opened.aclose()
            return
        self._opened = opened
        adapter = self._agent.adapter
        if self._request.turns is None and isinstance(adapter, SupportsRecordedUser):
            self._user = _WrittenUser(adapter.user_words(self._request))
        while (said := await self._user.next(self.recorder.finished)) is not None:
            if self._is_over:
                return
            self.recorder.begin(said)
            answer = await opened.send(lent(self._agent.component, said))
            if self._is_over:
                return
            self.recorder.end(checked_answer(self._agent.component, answer))
        self.state = None if opened.state is None else copy.deepcopy(dict(opened.state))

    async def close(self) -> Failure | None:
        """End the session in any state; returns the failure of ending it."""
        self._is_over = True
        if self._opened is None:
            return None
        component = self._agent.component
        try:
            await awaited(component, "aclose", self._opened.aclose, passing=(AgentError,), within=CLOSING)
        except PluginTimeoutError:
            message = f"the session did not end within {CLOSING:g} s"
            return Failure(code="agent_raised", message=message, origin=component.id, retryable=True)
        except (AgentError, PluginError) as error:
            return failure_of(self._agent, error)
        return None


def _both(failure: Failure | None, not_closed: Failure | None) -> Failure | None:
    """The failure of the conversation, with the message of a failed close added; either may be ``None``."""
    if failure is None or not_closed is None:
        return failure or not_closed
    return failure.model_copy(update={"message": f"{failure.message}; {not_closed.message}"})


def checked_answer(origin: Origin, answer: object) -> Invocation:
    """The answer of an adapter; for a third-party adapter a validated copy, which it cannot change later."""
    if not is_instance(answer, Invocation):
        raise AgentError(
            f"the adapter gave {type(answer).__name__} for a turn, expected an Invocation", code="bad_answer"
        )
    if origin.is_built_in:
        return answer
    try:
        return validated_copy(Invocation, answer)
    except ValueError as error:
        raise AgentError(
            f"the Invocation that {origin.provenance} gave for a turn is not valid: {told(error)}",
            code="bad_answer",
        ) from error


def failure_of(agent: PlannedAgent, error: AgentError | PluginError, timeout: float | None = None) -> Failure:
    """Convert an exception of an agent or its adapter to the error of a case."""
    origin = agent.component.id
    if (shortage := shortage_of(error)) is not None:
        return Failure(code="shortage", message=f"{shortage} ({error})", origin=origin, retryable=True)
    if isinstance(error, AgentError):
        advice = (
            "; --isolate (isolate=True) runs it where it can be ended" if error.code == "left_running" else ""
        )
        cause = error.__cause__
        at = Raised(error.place, error.traceback)
        if at.place is None and cause is not None:
            at = raised_by_agent(cause, agent.adapter)
        return Failure(
            code=error.code,
            message=f"{error}{advice}",
            origin=origin,
            retryable=error.retryable,
            **at._asdict(),
        )
    if isinstance(error, PluginTimeoutError):
        message = f"the case took longer than {timeout or 0:g} s"
        return Failure(code="timeout", message=message, origin=origin, retryable=True)
    raised = error.raised if isinstance(error, PluginRaisedError) else error
    if isinstance(raised, ValidationError):
        details = "; ".join(f"{item['msg']} at {item['loc']}" for item in raised.errors()[:3])
        return Failure(
            code="bad_answer", message=f"the agent's answer is not valid: {details}", origin=origin
        )
    # An exception from a built-in adapter is the agent's; from another adapter it may be the agent's or the adapter's.
    message = described(raised) if agent.component.is_built_in else str(error)
    # A TimeoutError of the agent's own is the agent's error, not our limit.
    return Failure(
        code="agent_raised",
        message=message,
        origin=origin,
        retryable=isinstance(raised, TimeoutError),
        **raised_by_agent(raised, agent.adapter)._asdict(),
    )
