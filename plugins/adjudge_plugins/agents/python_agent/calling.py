"""Calls third-party code: asynchronous code in one task per session, blocking code in one thread per session."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from adjudge.kit.session_task import SessionTask
from adjudge.kit.thread_loops import ThreadLoop
from adjudge.kit.thread_pool import ThreadPool
from adjudge.kit.threads import handover, start_thread
from adjudge.plugin import AgentError


class Caller:
    """Calls the code of one session. Code that blocks or ignores its cancellation delays no other session.

    All blocking calls of a session run in one thread and one context, so that thread-bound objects (a
    database connection) and context variables last exactly as long as the conversation. For the same reason
    all asynchronous calls run in one task. The threads are daemon threads: a call that hangs occupies its
    thread forever, and at exit the interpreter would wait for the threads of Python's own pools.
    """

    def __init__(self, name: str, loop: ThreadLoop | None, pool: ThreadPool | None = None) -> None:
        """Store the settings; threads and tasks start with the first call.

        Args:
            name: The name of the session, used for threads and tasks.
            loop: The event loop for asynchronous code; ``None`` for the loop of the run, if the agent is an
            object
                that may be bound to it.
            pool: Supplies the thread for a session that makes a single call; ``None`` for a thread of the
            session's own.
        """
        self._name = name
        self._pool = pool
        self._thread: _PoolThread | _OwnThread | None = None
        self._stopped: list[_PoolThread | _OwnThread] = []
        self._task = SessionTask(name, loop, _would_end_the_run)

    async def call(
        self,
        function: Callable[..., Any],
        *args: object,
        too_late: Callable[[Any], None] | None = None,
    ) -> Any:
        """Call ``function`` and return its result, awaited if it is awaitable.

        Args:
            function: The third-party function.
            args: Its positional arguments.
            too_late: Called with the result if it arrives after the caller was cancelled.

        Raises:
            AgentError: the code called ``sys.exit`` or raised something else that would end the run.
        """
        if _is_coroutine_function(function):
            return await self._task.call(function, *args, too_late=too_late)
        if self._thread is None or self._thread.busy:  # busy: a cancelled call still runs in it
            self._stop_thread()
            self._thread = (
                _OwnThread(self._name) if self._pool is None else _PoolThread(self._name, self._pool)
            )
            self._pool = None
        result = await self._thread.run(function, args, too_late)
        if inspect.isawaitable(result):
            return await self._task.call(_result_of, result, too_late=too_late)
        return result

    def stop(self) -> None:
        """Let the thread and the task end as soon as they are idle."""
        self._stop_thread()
        self._task.stop()

    @property
    def left_running(self) -> str | None:
        """Describe a cancelled call that still runs; ``None`` if there is none."""
        if any(thread.busy for thread in self._stopped):
            return "its code blocks, cannot be stopped, and was left running in its thread"
        return self._task.left_running

    def _stop_thread(self) -> None:
        if self._thread is not None:
            self._thread.stop()
            self._stopped.append(self._thread)
            self._thread = None


class _Thread:
    """A thread for the blocking calls of a session."""

    def __init__(self) -> None:
        self.busy = False
        self._context = contextvars.copy_context()

    async def run(
        self,
        function: Callable[..., Any],
        args: tuple[object, ...],
        too_late: Callable[[Any], None] | None,
    ) -> Any:
        def call() -> Any:
            try:
                return self._context.run(function, *args)
            finally:
                self.busy = False

        work, done = handover(call, _refused)
        self.busy = True
        self._begin(work, done)
        if too_late is None:
            return await done
        try:
            await asyncio.wait((done,))
        except asyncio.CancelledError:
            done.add_done_callback(partial(_handed_on, too_late))
            raise
        return done.result()

    def _begin(self, work: Callable[[], None], done: asyncio.Future[Any]) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        """Let the thread end as soon as it is idle."""


class _PoolThread(_Thread):
    """A thread borrowed from a pool for one call."""

    def __init__(self, name: str, pool: ThreadPool) -> None:
        super().__init__()
        self._name = name
        self._pool = pool

    def _begin(self, work: Callable[[], None], done: asyncio.Future[Any]) -> None:
        def begun() -> None:
            self.busy = True
            work()

        self.busy = False
        self._pool.submit(self._name, begun, done)


class _OwnThread(_Thread):
    """A thread that belongs to one session."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._name = name
        # Thread.start() would block the event loop, and so every other session, until the thread runs.
        start_thread(self._work)

    def _begin(self, work: Callable[[], None], done: asyncio.Future[Any]) -> None:  # noqa: ARG002
        self._calls.put(work)

    def stop(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        threading.current_thread().name = self._name
        while (work := self._calls.get()) is not None:
            work()


def can_be_called(function: Callable[..., Any], count: int) -> bool:
    """Whether the signature allows a call with exactly ``count`` positional arguments.

    True if Python cannot inspect the signature (some built-ins).
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def positional_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters that accept positional arguments; empty if Python cannot inspect the signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]


def _is_coroutine_function(function: Callable[..., Any]) -> bool:
    if inspect.isclass(function):  # a call of a class uses its constructor, not the __call__ of its instances
        return False
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object whose __call__ is async
    )


def _handed_on(too_late: Callable[[Any], None], done: asyncio.Future[Any]) -> None:
    if not done.cancelled() and done.exception() is None:
        too_late(done.result())


async def _result_of(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _refused(error: BaseException) -> Exception:
    if isinstance(error, StopIteration):
        return RuntimeError("the agent's code raised StopIteration")
    return _would_end_the_run(error)


def _would_end_the_run(error: BaseException) -> AgentError:
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return AgentError(f"the agent's code raised {text}", code="agent_raised")
