"""The three forms that a Python agent has, told apart by what the object can do.

- It has ``open_session``: an object with sessions. ``open_session(request, emit)`` is the adapter
  protocol of ``adjudge.plugin``; an object may take fewer of the two. What it returns has ``send``.
- It is a class, or a function without parameters: called once per session. What it gives has ``send``
  or is a callable.
- It is a callable: ``agent(text)`` or ``agent(text, session)``, shared by all sessions.

``send`` is given the ``Content``, a callable its text. All of it may be synchronous or asynchronous.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final

from adjudge.kit.thread_loops import ThreadLoop
from adjudge.kit.thread_pool import ThreadPool
from adjudge.model import Content
from adjudge.plugin import (
    AgentAdapter,
    AgentError,
    AgentSession,
    Emit,
    InputError,
    Problem,
    SessionRequest,
)
from adjudge_plugins.agents.python_agent.calling import Caller, can_be_called, positional_parameters
from adjudge_plugins.agents.python_agent.conversation import Conversation, close
from adjudge_plugins.agents.python_agent.frameworks import hint_for_object
from adjudge_plugins.agents.python_agent.session import Session

_CLOSING_SECONDS: Final = 10.0
"""How long what was made too late may take to close at the end of the run."""


def python_agent(target: Any, loop: ThreadLoop | None) -> AgentAdapter:
    """The adapter for an agent object.

    Args:
        target: The object.
        loop: Where its asynchronous code runs; ``None`` for the loop of the run.

    Raises:
        InputError: it is none of the three forms, or its signature does not fit.
    """
    if hasattr(target, "open_session"):
        return _ObjectWithSessions(target, loop)
    if inspect.isclass(target):
        if not (can_be_called(target, 0) or can_be_called(target, 1)):
            raise _unusable(target, "its constructor needs more than one argument, the session")
        return _PerSession(target, loop)
    if not callable(target):
        raise _unusable(target, *_not_callable(target))
    if can_be_called(target, 0) and not can_be_called(target, 1):
        return _PerSession(target, loop)
    return _Shared(target, loop)


class _Adapter:
    """What the three forms share: how a session begins, and what is closed where it cannot."""

    def __init__(self, loop: ThreadLoop | None) -> None:
        self._loop = loop
        self._closing: set[asyncio.Task[None]] = set()

    async def _begun(
        self,
        request: SessionRequest,
        conversation: Callable[[Caller, Any], Conversation],
        make: Callable[..., Any],
        *args: object,
    ) -> Conversation:
        """The conversation with what ``make`` makes; what nobody can talk to is closed."""
        caller = self._caller_for(request)
        made: object = None
        try:
            made = await caller.call(make, *args, too_late=self._close_soon)
            return conversation(caller, made)
        except BaseException:
            await close(caller, made)
            raise

    def _caller_for(self, request: SessionRequest, pool: ThreadPool | None = None) -> Caller:
        return self._caller(f"case {request.eval_id}, repeat {request.repeat}", pool)

    def _caller(self, whose: str, pool: ThreadPool | None = None) -> Caller:
        return Caller(f"adjudge agent, {whose}", self._loop, pool)

    def _close_soon(self, made: object) -> None:
        """Close what was made after the case had ended."""

        async def closed() -> None:
            with contextlib.suppress(Exception):  # there is nobody to tell
                await close(self._caller("made too late"), made)

        task = asyncio.ensure_future(closed())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """End the loop of the agent's asynchronous code."""
        if self._closing:
            await asyncio.wait(self._closing, timeout=_CLOSING_SECONDS)
        if self._loop is not None:
            await self._loop.aclose()


class _ObjectWithSessions(_Adapter):
    def __init__(self, target: Any, loop: ThreadLoop | None) -> None:
        super().__init__(loop)
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
        def conversation(caller: Caller, served: Any) -> Conversation:
            if not hasattr(served, "send"):
                raise AgentError(
                    f"open_session returned an object of type {type(served).__name__}, which has no send()",
                    code="bad_answer",
                )
            # Who is given emit emits; for the others it is done after each turn.
            return Conversation(
                caller,
                _by_content(caller, served.send),
                served,
                None if self._taken == 2 else emit,
                lambda: getattr(served, "state", None),
            )

        return await self._begun(
            request, conversation, self._target.open_session, *(copy.deepcopy(request), emit)[: self._taken]
        )

    async def aclose(self) -> None:
        try:
            await close(self._caller("end of the run"), self._target)
        finally:
            await super().aclose()


class _PerSession(_Adapter):
    def __init__(self, make: Callable[..., Any], loop: ThreadLoop | None) -> None:
        super().__init__(loop)
        self._make = make
        self._takes_session = not can_be_called(make, 0)

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        session = Session.of(request)

        def conversation(caller: Caller, made: Any) -> Conversation:
            takes_session = False
            if hasattr(made, "send"):
                send = _by_content(caller, made.send)
            elif callable(made):
                takes_session = _takes_session(made)
                send = _by_text(caller, made, session if takes_session else None)
            else:
                raise AgentError(
                    f"{_named(self._make)} made an object of type {type(made).__name__}, which is neither "
                    "callable nor has send()",
                    code="bad_answer",
                )
            # Who is never given the session shows no state by it.
            is_shown = self._takes_session or takes_session
            return Conversation(caller, send, made, emit, lambda: session.state if is_shown else None)

        return await self._begun(
            request, conversation, self._make, *((session,) if self._takes_session else ())
        )


class _Shared(_Adapter):
    def __init__(self, function: Callable[..., Any], loop: ThreadLoop | None) -> None:
        super().__init__(loop)
        self._function = function
        self._takes_session = _takes_session(function)
        self._pool = ThreadPool()

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        session = Session.of(request) if self._takes_session else None

        # A session of several turns keeps a thread from the first to the last.
        caller = self._caller_for(request, self._pool if request.turns == 1 else None)
        send = _by_text(caller, self._function, session)
        state = None if session is None else session.state
        return Conversation(caller, send, None, emit, lambda: state)


def _by_content(caller: Caller, send: Callable[..., Any]) -> Callable[[Content], Awaitable[Any]]:
    # A copy: the content is the case's own, and holds dictionaries that the agent could change.
    return lambda content: caller.call(send, copy.deepcopy(content))


def _by_text(
    caller: Caller, function: Callable[..., Any], session: Session | None
) -> Callable[[Content], Awaitable[Any]]:
    """Where the function takes a session, it is given one."""
    more = () if session is None else (session,)
    return lambda content: caller.call(function, content.text, *more)


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
    if (hint := hint_for_object(target)) is not None:
        return (
            f"it is an object of type {type(target).__name__}, which a plugin runs that is not installed",
            hint,
        )
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
