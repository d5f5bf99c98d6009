"""The three forms that a Python agent has, told apart by what the object can do.

- It has ``open_session``: an object with sessions. ``open_session(request, emit)`` is the adapter
  protocol of ``adjudge.plugin``; an object may take fewer of the two. What it returns has ``send``.
- It is a class, or a function without parameters: called once per session. What it gives has ``send``
  or is a callable.
- It is a callable: ``agent(text)`` or ``agent(text, session)``, shared by all sessions.

``send`` is given the ``Content``, a callable its text. All of it may be synchronous or asynchronous.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from adjudge.plugin import (
    AgentAdapter,
    AgentError,
    AgentSession,
    Content,
    Emit,
    InputError,
    Problem,
    SessionRequest,
)
from adjudge_plugins.agents.python_agent.calling import Caller, can_be_called, positional_parameters
from adjudge_plugins.agents.python_agent.conversation import Conversation, close
from adjudge_plugins.agents.python_agent.session import Session


def python_agent(target: Any) -> AgentAdapter:
    """The adapter for an agent object.

    Raises:
        InputError: it is none of the three forms, or its signature does not fit.
    """
    if hasattr(target, "open_session"):
        return _ObjectWithSessions(target)
    if inspect.isclass(target):
        if not (can_be_called(target, 0) or can_be_called(target, 1)):
            raise _unusable(target, "its constructor needs more than one argument, the session")
        return _PerSession(target)
    if not callable(target):
        raise _unusable(target, *_not_callable(target))
    if can_be_called(target, 0) and not can_be_called(target, 1):
        return _PerSession(target)
    return _Shared(target)


class _ObjectWithSessions:
    def __init__(self, target: Any) -> None:
        if inspect.isclass(target):
            if not can_be_called(target, 0):
                raise _unusable(target, "a class with open_session must be callable without arguments")
            target = target()
        fitting = [count for count in (2, 1, 0) if can_be_called(target.open_session, count)]
        if not fitting:
            raise _unusable(target, "its open_session cannot be called with (request, emit)")
        self._target = target
        self._taken = fitting[0]

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        caller = _caller(request)
        served = await caller.call(self._target.open_session, *(request, emit)[: self._taken])
        if not hasattr(served, "send"):
            raise AgentError(
                f"open_session returned an object of type {type(served).__name__}, which has no send()",
                code="bad_answer",
            )

        def state() -> object:
            return getattr(served, "state", None)

        # Who is given emit emits; for the others it is done after each turn.
        return Conversation(caller, served.send, served, None if self._taken == 2 else emit, state)

    async def aclose(self) -> None:
        caller = Caller("adjudge agent, end of the run")
        await close(caller, self._target)


class _PerSession:
    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._takes_session = not can_be_called(make, 0)

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        session = Session.of(request)
        caller = _caller(request)
        made = await caller.call(self._make, *((session,) if self._takes_session else ()))
        if hasattr(made, "send"):
            send = made.send
        elif callable(made):
            send = _by_text(caller, made, session, takes_session=_takes_session(made))
        else:
            raise AgentError(
                f"{_named(self._make)} made an object of type {type(made).__name__}, which is neither "
                "callable nor has send()",
                code="bad_answer",
            )
        return Conversation(caller, send, made, emit, lambda: session.state)


class _Shared:
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._takes_session = _takes_session(function)

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        session = Session.of(request)
        caller = _caller(request)
        send = _by_text(caller, self._function, session, takes_session=self._takes_session)
        return Conversation(caller, send, None, emit, lambda: session.state)


def _caller(request: SessionRequest) -> Caller:
    return Caller(f"adjudge agent, case {request.eval_id}, repeat {request.repeat}")


def _by_text(
    caller: Caller, function: Callable[..., Any], session: Session, *, takes_session: bool
) -> Callable[[Content], Any]:
    more = (session,) if takes_session else ()

    async def send(content: Content) -> Any:
        return await caller.call(function, content.text, *more)

    return send


def _takes_session(function: Callable[..., Any]) -> bool:
    """Whether it is ``(text, session)``.

    Raises:
        InputError: it is neither that nor ``(text)``.
    """
    parameters = positional_parameters(function)
    # A default of its own, such as temperature=0.5, says that the parameter is something else.
    takes_session = len(parameters) > 1 and parameters[1].default in (inspect.Parameter.empty, None)
    if not can_be_called(function, 2 if takes_session else 1):
        raise _unusable(
            function,
            "its signature is neither (text) nor (text, session)",
            "Give further parameters a default, or bind them with functools.partial.",
        )
    return takes_session


def _not_callable(target: object) -> tuple[str, str]:
    if hasattr(target, "send"):
        return (
            "it is one object with send(), which would mix the conversations of all cases",
            "Name its class: every session gets an instance of its own.",
        )
    return (
        f"it is an object of type {type(target).__name__}, neither callable nor with open_session()",
        "Name a function, a class whose instances have send(), or an object with open_session().",
    )


def _named(target: object) -> str:
    name = getattr(target, "__qualname__", None)
    return repr(name) if isinstance(name, str) else f"of type {type(target).__name__}"


def _unusable(target: object, why: str, hint: str | None = None) -> InputError:
    return InputError(Problem(what=f"the agent {_named(target)} cannot be used: {why}", hint=hint))
