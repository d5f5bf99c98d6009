"""Runs somebody's coroutines in tasks that nobody has to wait for, on event loops that can be abandoned.

Somebody's coroutine may ignore its cancellation, or block the event loop that it runs on, and Python stops
neither. So it runs in a task of its own, and where it may block, on a loop in a daemon thread, which is replaced
once it is blocked. ``SessionTask`` is such a task for all calls of an agent's session; ``plugin_loops`` gives
every call into a plugin one.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from asyncio.tasks import _unregister_task  # pyright: ignore[reportPrivateUsage] - documented under "Extending"
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from functools import partial
from typing import Any, Final, TypeAlias

from adjudge.extension import guard
from adjudge.extension.thread_loop import Mailbox, ThreadLoop, mailbox_here

Outcome: TypeAlias = tuple[Any, BaseException | None]
"""What a call returned, and what it raised."""

_left_behind: Final[set[asyncio.Task[Any]]] = set()


class Call:
    """One call, made by the running loop and run by a task of that or another one."""

    def __init__(
        self, function: Callable[..., Awaitable[Any]], *args: object, tells_begin: bool = False
    ) -> None:
        """Prepare to call somebody's ``function``; ``begun`` is set at its begin where it ``tells_begin``."""
        self._function = function
        self._args = args
        self._tells_begin = tells_begin
        self._claim = threading.Lock()
        self._home = mailbox_here()
        self.begun: asyncio.Future[bool] = self._home.loop.create_future()
        self.ended: asyncio.Future[Outcome] = self._home.loop.create_future()
        self.is_over = False

    def claimed(self) -> bool:
        """Whether whoever asks decides what becomes of it, because nobody asked before."""
        return self._claim.acquire(blocking=False)

    async def outcome(self, loop: asyncio.AbstractEventLoop) -> Outcome:
        """Run it, in a task of ``loop``."""
        if self._tells_begin:
            self._home.set(self.begun, True)
        try:
            return await self._function(*self._args), None
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise  # the user's
            if isinstance(error, GeneratorExit) and not loop.is_running():
                raise  # the end of the program
            return None, error

    def end(self, outcome: Outcome) -> None:
        """Tell the caller, from whatever thread."""
        self.is_over = True
        self._home.set(self.ended, outcome)


class Stopped(Enum):
    """What became of a call that was cancelled."""

    ENDED = auto()
    DEAF = auto()
    """It ignores that it was cancelled."""
    BLOCKED = auto()
    """It, or another one on its loop, blocks."""


class LoopTask:
    """A task that runs calls one after the other, in one context; nobody has to wait for it."""

    def __init__(self, name: str, thread: ThreadLoop | None) -> None:
        """Prepare a task called ``name`` on the loop of ``thread``; ``None`` for that of the caller."""
        self.where: Mailbox = mailbox_here() if thread is None else thread.running()
        self.task: asyncio.Task[None] | None = None
        self._name = name
        self._context = contextvars.copy_context()
        self._calls: asyncio.Queue[Call | None] = asyncio.Queue()
        self._current: Call | None = None

    def do(self, *calls: Call | None) -> None:
        """Run calls after those that were given before; ``None`` ends the task."""
        self.where.post(partial(self._do, calls))

    async def answers(self, patience: float, *, cancelling: Call | None = None) -> bool:
        """Whether the loop runs anything within ``patience`` seconds; if so it cancels a call."""
        home = mailbox_here()
        answered: asyncio.Future[None] = home.loop.create_future()

        def answer() -> None:
            home.set(answered, None)
            if cancelling is not None and self._current is cancelling and self.task is not None:
                self.task.cancel()

        self.where.post(answer)
        await asyncio.wait((answered,), timeout=patience)
        return answered.done()

    async def stopped(self, call: Call, patience: float) -> Stopped:
        """Cancel a call. Its loop has ``patience`` seconds to run anything, the call then ``guard.GRACE`` to end."""
        has_begun = not call.claimed()
        has_answered = await self.answers(patience, cancelling=call)
        if has_answered and has_begun:
            await asyncio.wait((call.ended,), timeout=guard.GRACE)
        if call.ended.done() or (has_answered and not has_begun):
            return Stopped.ENDED
        return Stopped.DEAF if has_answered else Stopped.BLOCKED

    def leave_behind(self) -> None:
        """Let the end of the loop not wait for the task."""
        self.where.post(lambda: None if self.task is None else leave_behind(self.task))

    def _do(self, calls: tuple[Call | None, ...]) -> None:
        if self.task is None:
            self.task = self.where.loop.create_task(self._work(), name=self._name, context=self._context)
        for call in calls:
            if call is not None and self.task.done():
                call.end((None, asyncio.CancelledError("the task of the session has ended")))
            self._calls.put_nowait(call)

    async def _work(self) -> None:
        while (call := await self._calls.get()) is not None:
            if call.claimed():
                self._current = call
                outcome = await call.outcome(self.where.loop)
                self._current = None
                await _uncancelled()
                call.end(outcome)


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
        self._loop = loop
        self._refused = refused
        self._task: LoopTask | None = None
        self._left: list[tuple[Call, str]] = []

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
        if self._task is None:
            self._task = LoopTask(self._name, self._loop)
        task, call = self._task, Call(function, *args)
        task.do(call)
        try:
            await asyncio.wait((call.ended,))
        except asyncio.CancelledError:
            if too_late is not None:
                call.ended.add_done_callback(partial(_handed_on, too_late))
            await self._cancel(task, call)
            raise
        result, error = call.ended.result()
        if error is None:
            return result
        if isinstance(error, Exception):
            raise error
        raise self._refused(error) from error

    def stop(self) -> None:
        """Let the task end as soon as nothing runs in it."""
        if self._task is not None:
            self._task.do(None)
            self._task = None

    async def _cancel(self, task: LoopTask, call: Call) -> None:
        match await task.stopped(call, guard.GRACE):
            case Stopped.ENDED:
                return
            case Stopped.DEAF:
                task.leave_behind()
                why = "its code ignores that it was cancelled, and was left running"
            case Stopped.BLOCKED:
                if self._loop is not None:
                    self._loop.leave_behind(task.where)
                blocking = asyncio.current_task(task.where.loop)
                who = "its code" if blocking is None or blocking is task.task else blocking.get_name()
                why = f"{who} blocks the event loop, cannot be stopped, and was left running"
        self._task = None
        self._left.append((call, why))


def leave_behind(task: asyncio.Task[Any]) -> None:
    """Let the end of the running loop not wait for a task that ignores its cancellation."""
    if not task.done():
        _unregister_task(task)
        # Kept, because a task that is collected while it waits is reported as a mistake. The end of the
        # program collects it too; asyncio's own flag keeps the report from the user then.
        _left_behind.add(task)
        task._log_destroy_pending = False  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
        task.add_done_callback(_left_behind.discard)


def _handed_on(too_late: Callable[[Any], None], ended: asyncio.Future[Outcome]) -> None:
    if not ended.cancelled():
        result, error = ended.result()
        if error is None:
            too_late(result)


async def _uncancelled() -> None:
    """Let the current task go on, whoever has cancelled it."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        while task.uncancel():
            pass
        with contextlib.suppress(asyncio.CancelledError):  # asked for, and not raised yet
            await asyncio.sleep(0)
