"""Runs the calls of one agent session in one task, on an event loop that can be abandoned.

Somebody's coroutine may ignore its cancellation, or block the event loop that it runs on, and Python stops
neither. So it runs in a task that nobody has to wait for, and where it may block, on an event loop in a daemon
thread, which is replaced once it is blocked.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from asyncio.tasks import _unregister_task  # pyright: ignore[reportPrivateUsage] - documented under "Extending"
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeAlias

from adjudge.extension import guard
from adjudge.extension.threads import ThreadLoop, tell

_Outcome: TypeAlias = tuple[Any, BaseException | None]

_left_behind: Final[set[asyncio.Task[Any]]] = set()


class SessionTask:
    """Runs the coroutines of one session one after the other, all in one task and one context.

    What binds itself to its task (a cancel scope, a context variable) lasts for the session.
    """

    def __init__(
        self, name: str, loop: ThreadLoop | None, refused: Callable[[BaseException], Exception]
    ) -> None:
        """Prepare; the task starts with the first call.

        Args:
            name: Whose session it is; the name of the task.
            loop: Where it runs; ``None`` for the loop of whoever calls, which blocking code blocks.
            refused: Makes an exception of what is no ``Exception`` and would end the run.
        """
        self._name = name
        self._thread_loop = loop
        self._refused = refused
        self._worker: _Worker | None = None
        self._left: list[tuple[_Call, str]] = []

    @property
    def left_running(self) -> str | None:
        """What became of a call that was cancelled and runs still; ``None`` where there is none."""
        return next((why for call, why in self._left if not call.is_over), None)

    async def call(
        self,
        function: Callable[..., Awaitable[Any]],
        *args: object,
        too_late: Callable[[Any], None] | None = None,
    ) -> Any:
        """What the coroutine function returns; or raises, in the form that ``refused`` gives it.

        Where the caller is cancelled, so is the coroutine. It has ``guard.GRACE`` seconds to end and is left behind then.

        Args:
            function: Somebody's code.
            args: What it is given.
            too_late: Given the result that comes after the caller was cancelled.
        """
        if self._worker is None:
            loop = asyncio.get_running_loop() if self._thread_loop is None else self._thread_loop.running()
            self._worker = _Worker(self._name, loop)
        worker, call = self._worker, _Call(function, args)
        worker.do(call)
        try:
            await asyncio.wait((call.outcome,))
        except asyncio.CancelledError:
            if too_late is not None:
                call.outcome.add_done_callback(partial(_handed_on, too_late))
            await self._cancel(worker, call)
            raise
        result, error = call.outcome.result()
        if error is None:
            return result
        if isinstance(error, Exception):
            raise error
        raise self._refused(error) from error

    def stop(self) -> None:
        """Let the task end as soon as nothing runs in it."""
        if self._worker is not None:
            self._worker.do(None)
            self._worker = None

    async def _cancel(self, worker: _Worker, call: _Call) -> None:
        answered = worker.cancel(call)
        await asyncio.wait((call.outcome,), timeout=guard.GRACE)
        if call.outcome.done():
            return
        self._worker = None
        if answered.done():
            worker.leave_behind()
            self._left.append((call, "its code ignores that it was cancelled, and was left running"))
            return
        if self._thread_loop is not None:
            self._thread_loop.leave_behind(worker.loop)
        blocking = asyncio.current_task(worker.loop)
        who = "its code" if blocking is None or blocking is worker.task else blocking.get_name()
        self._left.append((call, f"{who} blocks the event loop, cannot be stopped, and was left running"))


class _Call:
    def __init__(self, function: Callable[..., Awaitable[Any]], args: tuple[object, ...]) -> None:
        self.function = function
        self.args = args
        self.is_over = False
        self.caller = asyncio.get_running_loop()
        self.outcome: asyncio.Future[_Outcome] = self.caller.create_future()

    def end(self, outcome: _Outcome) -> None:
        """Tell the caller, from whatever thread."""
        self.is_over = True
        tell(self.caller, self.outcome, outcome)


class _Worker:
    """The task that runs the calls. What is not said otherwise is called by the thread of the caller."""

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.task: asyncio.Task[None] | None = None
        self._calls: asyncio.Queue[_Call | None] = asyncio.Queue()
        self._current: _Call | None = None
        context = contextvars.copy_context()

        def start() -> None:
            self.task = loop.create_task(self._work(), name=name, context=context)

        loop.call_soon_threadsafe(start)

    def do(self, call: _Call | None) -> None:
        """Run a call after those that were given before; ``None`` ends the task."""

        def put() -> None:
            if self.task is not None and self.task.done() and call is not None:
                call.end((None, asyncio.CancelledError("the task of the session has ended")))
            self._calls.put_nowait(call)

        self.loop.call_soon_threadsafe(put)

    def cancel(self, call: _Call) -> asyncio.Future[None]:
        """Cancel a call. The future is done as soon as the loop runs anything, the cancelled call aside."""
        here = asyncio.get_running_loop()
        answered: asyncio.Future[None] = here.create_future()

        def cancel() -> None:
            tell(here, answered, None)
            if self._current is call and self.task is not None:
                self.task.cancel()

        self.loop.call_soon_threadsafe(cancel)
        return answered

    def leave_behind(self) -> None:
        """Let the end of the loop not wait for the task."""

        def forget() -> None:
            if self.task is not None:
                leave_behind(self.task)

        self.loop.call_soon_threadsafe(forget)

    async def _work(self) -> None:
        while (call := await self._calls.get()) is not None:
            self._current = call
            try:
                outcome: _Outcome = await call.function(*call.args), None
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt) and _is_main_thread():
                    raise  # the user's
                if isinstance(error, GeneratorExit) and not self.loop.is_running():
                    raise  # the end of the program
                outcome = None, error
            self._current = None
            await _uncancelled()
            call.end(outcome)


def _handed_on(too_late: Callable[[Any], None], outcome: asyncio.Future[_Outcome]) -> None:
    if not outcome.cancelled():
        result, error = outcome.result()
        if error is None:
            too_late(result)


def leave_behind(task: asyncio.Task[Any]) -> None:
    """Let the end of the running loop not wait for a task that ignores its cancellation."""
    if not task.done():
        _unregister_task(task)
        # Kept, because a task that is collected while it waits is reported as a mistake. The end of the
        # program collects it too; asyncio's own flag keeps the report from the user then.
        _left_behind.add(task)
        task._log_destroy_pending = False  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
        task.add_done_callback(_left_behind.discard)


async def _uncancelled() -> None:
    """Let the current task go on, whoever has cancelled it."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        while task.uncancel():
            pass
        with contextlib.suppress(asyncio.CancelledError):  # asked for, and not raised yet
            await asyncio.sleep(0)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
