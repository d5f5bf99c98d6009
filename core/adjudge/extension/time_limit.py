"""Time limits of calls into plugins. Time spent waiting for the core, for instance for a judge, is not counted.

``asyncio.timeout`` has no clock that can be stopped, and would double the cost of a call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Self, TypeVar

ValueT = TypeVar("ValueT")


class TimeLimit:
    """A context that cancels its task after a number of seconds. Its clock is stopped until ``start``."""

    def __init__(self, seconds: float | None) -> None:
        """Create a limit of ``seconds`` for the current task; ``None`` for no limit."""
        self.seconds = seconds
        self.is_over = False
        self.note: str | None = None
        """Why a call did not end after its cancellation, for the message; ``None`` if it ended."""
        self._home = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._cancelled_before = 0 if self._task is None else self._task.cancelling()
        self._left = seconds
        self._holds = 1
        """The number of reasons why the clock is stopped: it is not started yet, or calls to the core are awaited."""
        self._timer: asyncio.TimerHandle | None = None
        self._starting: asyncio.Handle | None = None
        self._has_ended = False
        self._around = _CURRENT.get()
        self._token: Token[TimeLimit | None] | None = None

    def __enter__(self) -> Self:
        """Make this the current time limit."""
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """End the limit, and undo its own cancellation of the task."""
        self._has_ended = True
        if self._token is not None:
            _CURRENT.reset(self._token)
        for handle in (self._starting, self._timer):
            if handle is not None:
                handle.cancel()
        if self.is_over and self._task is not None:
            self._task.uncancel()

    @property
    def was_cancelled(self) -> bool:
        """Whether something else cancelled the task since this limit began. Use this after the end of the context."""
        return self._task is not None and self._task.cancelling() > self._cancelled_before

    def start(self) -> None:
        """Start the clock."""
        self._release()

    def start_at_first_wait(self) -> None:
        """Start the clock when the task first waits: a task that never waits needs no timer."""
        self._starting = self._home.call_soon(self._release)

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """A context in which the clock, and the clocks of the outer calls, are stopped."""
        chain: list[TimeLimit] = [self]
        while (around := chain[-1]._around) is not None:
            chain.append(around)
        for limit in chain:
            limit._hold()
        try:
            yield
        finally:
            for limit in chain:
                limit._release()

    def _hold(self) -> None:
        self._holds += 1
        if self._timer is not None:
            self._timer.cancel()
            self._left = self._timer.when() - self._home.time()
            self._timer = None

    def _release(self) -> None:
        self._holds -= 1
        # The call may already have ended while a task that it started still waits.
        if self._left is not None and not (self._holds or self.is_over or self._has_ended):
            self._timer = self._home.call_later(self._left, self._end)

    def _end(self) -> None:
        self._timer = None
        self.is_over = True
        if self._task is not None:
            self._task.cancel()


_CURRENT: ContextVar[TimeLimit | None] = ContextVar("adjudge_time_limit", default=None)


async def not_counted(wait: Callable[[], Awaitable[ValueT]]) -> ValueT:
    """Await ``wait`` without counting the time for the plugin that called it, and return the result."""
    limit = _CURRENT.get()
    if limit is None:
        return await wait()
    with limit.standing_still():
        return await wait()
