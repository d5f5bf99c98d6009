"""Adapters for the three forms of a Python agent, recognised by the methods of the object.

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
"""The time limit in seconds, at the end of the run, for closing objects that were created too late."""


def python_agent(target: Any, loop: ThreadLoop | None) -> AgentAdapter:
    """Create the adapter for an agent object.

    Args:
        target: The agent object.
        loop: The event loop for its asynchronous code; ``None`` for the loop of the run.

    Raises:
        InputError: the object has none of the three forms, or an unsuitable signature.
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
    """Shared by the three forms: starts a session, and closes its object if that fails."""

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
        """Create an object with ``make`` and start a conversation with it; an unusable object is closed."""
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
        """Close an object that was created after its case had ended."""

        async def closed() -> None:
            with contextlib.suppress(Exception):  # there is no caller to report it to
                await close(self._caller("made too late"), made)

        task = asyncio.ensure_future(closed())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Wait for objects that are being closed, then end the loop of the agent's asynchronous code."""
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
            # An agent that takes ``emit`` emits its steps itself; for the others they are emitted after each
            # turn.
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
            # If the agent is never given the session, the session's state is not the agent's state.
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

        # A session of several turns has its own thread; a session of one turn borrows one from the pool.
        caller = self._caller_for(request, self._pool if request.turns == 1 else None)
        send = _by_text(caller, self._function, session)
        state = None if session is None else session.state
        return Conversation(caller, send, None, emit, lambda: state)


def _by_content(caller: Caller, send: Callable[..., Any]) -> Callable[[Content], Awaitable[Any]]:
    # A copy, because the content belongs to the case, and the agent could change the dictionaries in it.
    return lambda content: caller.call(send, copy.deepcopy(content))


def _by_text(
    caller: Caller, function: Callable[..., Any], session: Session | None
) -> Callable[[Content], Awaitable[Any]]:
    """Pass the text to the function, and the session if it takes one."""
    more = () if session is None else (session,)
    return lambda content: caller.call(function, content.text, *more)


def _takes_session(function: Callable[..., Any]) -> bool:
    """Whether the function takes ``(text, session)``.

    Raises:
        InputError: it takes neither that nor ``(text)``.
    """
    parameters = positional_parameters(function)
    # A second parameter with a default, such as temperature=0.5, is not the session.
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
            "Name its class: then every session gets a new instance.",
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
