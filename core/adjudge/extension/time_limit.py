"""Time limits of calls into plugins: the clock stands still while a plugin waits for the core, for instance for a judge.

``asyncio.timeout`` has no such clock, and would cost as much as everything else that a call costs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Self, TypeVar

ValueT = TypeVar("ValueT")


class TimeLimit:
    """Cancels the task inside it after some seconds of its clock, which stands still until ``start``."""

    def __init__(self, seconds: float | None) -> None:
        """Allow the current task ``seconds``; ``None`` for no limit."""
        self.seconds = seconds
        self.is_over = False
        self.note: str | None = None
        """What became of a call that was not stopped."""
        self._home = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._cancelled_before = 0 if self._task is None else self._task.cancelling()
        self._left = seconds
        self._holds = 1
        """How many things keep the clock from running: the start that is to come, and what is waited for."""
        self._timer: asyncio.TimerHandle | None = None
        self._starting: asyncio.Handle | None = None
        self._has_ended = False
        self._around = _CURRENT.get()
        self._token: Token[TimeLimit | None] | None = None

    def __enter__(self) -> Self:
        """Begin."""
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """End, and take back the cancellation that is this limit's own."""
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
        """Whether somebody else has cancelled the task since this limit began; asked once it has ended."""
        return self._task is not None and self._task.cancelling() > self._cancelled_before

    def start(self) -> None:
        """Let the clock run."""
        self._release()

    def start_at_first_wait(self) -> None:
        """Let the clock run once the task waits for anything: what never waits costs no timer."""
        self._starting = self._home.call_soon(self._release)

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """Let the clock stand still inside, and those of the calls around this one."""
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
        # The call may have ended, and left a task behind that still waits.
        if self._left is not None and not (self._holds or self.is_over or self._has_ended):
            self._timer = self._home.call_later(self._left, self._end)

    def _end(self) -> None:
        self._timer = None
        self.is_over = True
        if self._task is not None:
            self._task.cancel()


_CURRENT: ContextVar[TimeLimit | None] = ContextVar("adjudge_time_limit", default=None)


async def not_counted(wait: Callable[[], Awaitable[ValueT]]) -> ValueT:
    """What ``wait`` returns; the time that it takes is not that of the plugin that waits for it."""
    limit = _CURRENT.get()
    if limit is None:
        return await wait()
    with limit.standing_still():
        return await wait()
