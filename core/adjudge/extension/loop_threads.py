"""Event loops in daemon threads, which can be abandoned, and tasks on them that need not be awaited.

A third-party coroutine may ignore its cancellation or block its event loop, and Python can stop neither. So it runs in
a separate task, and if it may block, on a loop in a daemon thread. A blocked loop is replaced by a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from functools import partial
from typing import Any, Final, TypeAlias

from adjudge.extension import guard

_TURNS: Final = 2
"""Iterations of the run's loop before a wake-up, so that the calls of parallel cases share one wake-up."""


class Mailbox:
    """Passes callbacks to an event loop from other threads.

    Callbacks that wait at the same time share one wake-up of the loop's thread. The wake-up is the main cost: a system
    call, and two switches of the interpreter lock.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, home: asyncio.AbstractEventLoop | None = None
    ) -> None:
        """Serve ``loop``. If ``home`` is given, the wake-up waits for a few of its iterations, to collect callbacks."""
        self.loop = loop
        self._home = home
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_woken = False

    def post(self, callback: Callable[[], None]) -> None:
        """Let the loop run ``callback`` after earlier ones. May be called from any thread."""
        self._waiting.append(callback)
        if self._is_woken:
            return
        self._is_woken = True
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            self._wake()
            return
        if here is self.loop:
            here.call_soon(self._deliver)
        elif here is self._home:
            here.call_soon(self._wake_after, _TURNS)
        else:  # wake at once: third-party code on this loop may block in its next step
            self._wake()

    def set(self, future: asyncio.Future[Any], value: object) -> None:
        """Set the result of a future of the loop, unless it is already done. May be called from any thread."""
        self.post(lambda: None if future.done() else future.set_result(value))

    def _wake_after(self, turns: int) -> None:
        if turns and self._home is not None:
            self._home.call_soon(self._wake_after, turns - 1)
        else:
            self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, so no task is waiting
            self.loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._is_woken = False
        while self._waiting:
            self._waiting.popleft()()


_HERE: Final = threading.local()


def mailbox_here() -> Mailbox:
    """The mailbox of the running loop."""
    loop = asyncio.get_running_loop()
    mailbox: Mailbox | None = getattr(_HERE, "mailbox", None)
    if mailbox is None or mailbox.loop is not loop:
        mailbox = _HERE.mailbox = Mailbox(loop)
    return mailbox


class ThreadLoop:
    """An event loop in a daemon thread, which starts at the first use."""

    def __init__(self, name: str) -> None:
        """Prepare a loop in a thread named ``name``."""
        self._name = name
        self._served: _Served | None = None

    def running(self) -> Mailbox:
        """The mailbox of the loop; it is started if there is none, or the last one was abandoned."""
        if self._served is None:
            served = _Served(asyncio.new_event_loop())
            try:
                threading.Thread(target=served.serve, name=self._name, daemon=True).start()
            except BaseException:  # without a thread, calls on the loop would never end
                served.loop.close()
                raise
            self._served = served
        return self._served.mailbox

    def leave_behind(self, mailbox: Mailbox) -> None:
        """Abandon a blocked loop: later calls use a new one."""
        if self._served is not None and self._served.mailbox is mailbox:
            self._served = None

    async def aclose(self) -> None:
        """Cancel the loop's tasks and end it. A blocked loop is abandoned."""
        served, self._served = self._served, None
        if served is not None:
            home = mailbox_here()
            ended: asyncio.Future[None] = home.loop.create_future()
            served.end(lambda: home.set(ended, None))
            await asyncio.wait((ended,), timeout=guard.GRACE)


class _Served:
    """An event loop, and the thread that runs it until it is stopped."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.mailbox = Mailbox(loop, asyncio.get_running_loop())
        self._when_ended: Callable[[], None] | None = None
        self._is_ending = False
        self._ending: asyncio.Task[None] | None = None

    def serve(self) -> None:
        """Run the loop; this is the main function of the thread."""
        asyncio.set_event_loop(self.loop)
        while not self._is_ending:
            # Tasks of third-party code may raise SystemExit or stop the loop.
            with contextlib.suppress(BaseException):
                self.loop.run_forever()
        self.loop.close()
        if self._when_ended is not None:
            self._when_ended()

    def end(self, when_ended: Callable[[], None]) -> None:
        """Cancel all tasks and end the loop; the thread calls ``when_ended`` after closing it."""
        self._when_ended = when_ended
        self.mailbox.post(self._begin_end)

    def _begin_end(self) -> None:
        self._ending = self.loop.create_task(self._end())

    async def _end(self) -> None:
        try:
            for task in (others := asyncio.all_tasks() - {asyncio.current_task()}):
                task.cancel()
            if others:
                await asyncio.wait(others, timeout=guard.GRACE / 2)
            await self.loop.shutdown_asyncgens()
        finally:
            self._is_ending = True
            self.loop.stop()


# --- calls, and the tasks that run them ---------------------------------------------------

Outcome: TypeAlias = tuple[Any, BaseException | None]
"""The return value or exception of a call."""


class Call:
    """One call: it is requested on the running loop, and executed by a task on this or another loop."""

    def __init__(
        self, function: Callable[..., Awaitable[Any]], *args: object, tells_begin: bool = False
    ) -> None:
        """Prepare a call of ``function``; if ``tells_begin``, the future ``begun`` is resolved when it begins."""
        self._function = function
        self._args = args
        self._tells_begin = tells_begin
        self._claim = threading.Lock()
        self._home = mailbox_here()
        self.begun: asyncio.Future[bool] = self._home.loop.create_future()
        self.ended: asyncio.Future[Outcome] = self._home.loop.create_future()
        self.is_over = False

    def claimed(self) -> bool:
        """Claim the call: true for the first caller only. That caller starts or discards it."""
        return self._claim.acquire(blocking=False)

    async def outcome(self, loop: asyncio.AbstractEventLoop) -> Outcome:
        """Run the call in a task of ``loop``, and return its outcome."""
        if self._tells_begin:
            self._home.set(self.begun, True)
        ours = os.getpid()
        try:
            return await self._function(*self._args), None
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise  # Ctrl-C
            if isinstance(error, GeneratorExit) and not loop.is_running():
                raise  # the end of the program
            return None, error
        finally:
            guard.end_fork_of(ours)

    def end(self, outcome: Outcome) -> None:
        """Notify the caller, from any thread."""
        self.is_over = True
        self._home.set(self.ended, outcome)


class Stopped(Enum):
    """The outcome of a cancelled call."""

    ENDED = auto()
    DEAF = auto()
    """The call ignores its cancellation."""
    BLOCKED = auto()
    """The call, or another one on its loop, blocks the loop."""


class LoopTask:
    """A task that runs calls in sequence in one context. It need not be awaited."""

    def __init__(self, name: str, thread: ThreadLoop | None) -> None:
        """Prepare a task named ``name`` on the loop of ``thread``, or on the caller's loop if it is ``None``."""
        self.where: Mailbox = mailbox_here() if thread is None else thread.running()
        self.task: asyncio.Task[None] | None = None
        self._name = name
        self._context = contextvars.copy_context()
        self._calls: asyncio.Queue[Call | None] = asyncio.Queue()
        self._current: Call | None = None

    def do(self, *calls: Call | None) -> None:
        """Run calls after earlier ones; ``None`` ends the task."""
        self.where.post(partial(self._do, calls))

    async def answers(self, patience: float, *, cancelling: Call | None = None) -> bool:
        """Whether the loop runs a callback within ``patience`` seconds; the callback cancels ``cancelling``."""
        home = mailbox_here()
        answered: asyncio.Future[None] = home.loop.create_future()

        def answer() -> None:
            home.set(answered, None)
            if cancelling is not None and self._current is cancelling and self.task is not None:
                self.task.cancel()

        self.where.post(answer)
        await asyncio.wait((answered,), timeout=patience)
        return answered.done()

    async def stopped(self, call: Call, patience: float | None = None) -> Stopped:
        """Cancel a call, and wait until it ends.

        Args:
            call: The call, which was passed to ``do``.
            patience: Seconds after which a loop that runs nothing counts as blocked; by default ``guard.GRACE``, which
                is also the time for the call to end.
        """
        has_begun = not call.claimed()
        has_answered = await self.answers(guard.GRACE if patience is None else patience, cancelling=call)
        if has_answered and has_begun:
            await asyncio.wait((call.ended,), timeout=guard.GRACE)
        if call.ended.done() or (has_answered and not has_begun):
            return Stopped.ENDED
        return Stopped.DEAF if has_answered else Stopped.BLOCKED

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


async def _uncancelled() -> None:
    """Let the current task continue after a cancellation."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        while task.uncancel():
            pass
        with contextlib.suppress(asyncio.CancelledError):  # it was requested but is not raised yet
            await asyncio.sleep(0)
