"""A conversation: one session with the agent, turn by turn, and what became of it."""

from __future__ import annotations

import asyncio
import copy
import time
from typing import Final

from pydantic import ValidationError

from adjudge.errors import AgentError
from adjudge.extension.protocols import AgentSession, SessionRequest
from adjudge.model.eval_set import EvalCase, SessionInput
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.model.measurement import Failure
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory, numbered
from adjudge.running.plan import PlannedAgent
from adjudge.running.records import Conversation

DEFAULT_SESSION: Final = SessionInput(app_name="adjudge", user_id="test_user_id")
"""What a session starts with where the case says nothing; the user id is the one that ADK uses."""

_CLOSING_SECONDS: Final = 10.0
"""How long an agent may take to end a session before it is left alone."""


class _Recorder:
    """Keeps what happened so far, so that a case that fails half-way loses nothing."""

    def __init__(self) -> None:
        self.finished: list[Invocation] = []
        self.steps: list[Step] = []
        self.asked: Content | None = None

    def emit(self, step: Step) -> None:
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
            steps = tuple(step.model_copy(update={"number": n}) for n, step in enumerate(self.steps, 1))
            turns.append(Invocation(user_content=self.asked, steps=steps))
        return numbered(turns)


async def converse(
    agent: PlannedAgent, case: EvalCase, repeat: int, timeout: float | None, *, eval_set_id: str | None
) -> Conversation:
    """Play every turn of a case. Nothing that the agent does raises from here, cancellation aside."""
    recorder = _Recorder()
    failure: Failure | None = None
    state: dict[str, object] | None = None
    session: AgentSession | None = None
    started = time.perf_counter()
    turns = case.conversation or ()
    request = SessionRequest(
        eval_id=case.eval_id,
        repeat=repeat,
        eval_set_id=eval_set_id,
        session_input=case.session_input or DEFAULT_SESSION,
        turns=len(turns),
        timeout=timeout,
    )
    try:
        async with asyncio.timeout(timeout):
            session = await agent.adapter.open_session(request, recorder.emit)
            for turn in turns:
                recorder.begin(turn.user_content)
                recorder.end(_checked(await session.send(turn.user_content)))
            state = None if session.state is None else copy.deepcopy(dict(session.state))
    except asyncio.CancelledError:
        if session is not None:
            await _closed(agent, session)
        raise
    except TimeoutError:
        failure = _timed_out(agent, timeout, time.perf_counter() - started)
    except (Exception, SystemExit) as error:
        failure = _failure(agent, error)
    duration = time.perf_counter() - started
    if session is not None:
        failure = await _closed(agent, session) or failure if failure is None else failure
    return Conversation(
        trajectory=Trajectory(
            invocations=recorder.invocations(),
            eval_id=case.eval_id,
            agent=agent.target,
            session_id=request.session_input.session_id,
            final_session_state=state,
            duration=round(duration, 6),
        ),
        failure=failure,
        duration=duration,
    )


def _checked(answer: object) -> Invocation:
    if not isinstance(answer, Invocation):
        raise AgentError(
            f"the adapter gave {type(answer).__name__} for a turn, expected an Invocation", code="bad_answer"
        )
    return answer


async def _closed(agent: PlannedAgent, session: AgentSession) -> Failure | None:
    try:
        async with asyncio.timeout(_CLOSING_SECONDS):
            await session.aclose()
    except TimeoutError:
        return Failure(
            code="agent_raised",
            message=f"the session did not end within {_CLOSING_SECONDS:g} s",
            origin=agent.component.id,
            retryable=True,
        )
    except (Exception, SystemExit) as error:
        return _failure(agent, error)
    return None


def _timed_out(agent: PlannedAgent, timeout: float | None, elapsed: float) -> Failure:
    if timeout is None or elapsed < timeout:
        # A TimeoutError of the agent's own is the agent's error, not our limit.
        return Failure(code="agent_raised", message="TimeoutError", origin=agent.component.id, retryable=True)
    return Failure(
        code="timeout",
        message=f"the case took longer than {timeout:g} s",
        origin=agent.component.id,
        retryable=True,
    )


def _failure(agent: PlannedAgent, error: BaseException) -> Failure:
    if isinstance(error, AgentError):
        return Failure(
            code=error.code, message=str(error), origin=agent.component.id, retryable=error.retryable
        )
    if isinstance(error, ValidationError):
        details = "; ".join(f"{item['msg']} at {item['loc']}" for item in error.errors()[:3])
        return Failure(
            code="bad_answer",
            message=f"the agent's answer is not valid: {details}",
            origin=agent.component.id,
        )
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return Failure(code="agent_raised", message=text, origin=agent.component.id)
