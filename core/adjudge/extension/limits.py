"""Limits of calls into plugins: the clock stands still while a plugin waits for the core, for instance for a judge.

``asyncio.timeout`` has no such clock, and its cost would be the larger part of what a call costs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Generic, TypeVar

ValueT = TypeVar("ValueT")


class Limit:
    """Cancels the task inside it after some seconds."""

    def __init__(self, seconds: float | None) -> None:
        """Allow ``seconds``, from ``start`` on; ``None`` for no limit."""
        self.seconds = seconds
        self.is_over = False
        self.note: str | None = None
        """What became of a call that was not stopped."""
        self._left = seconds
        self._waiting = 0
        self._is_started = False
        self._has_ended = False
        self._timer: asyncio.TimerHandle | None = None
        self._home = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._cancelled_before = 0 if self._task is None else self._task.cancelling()
        self._around: Limit | None = None
        self._token: Token[Limit | None] | None = None

    def __enter__(self) -> Limit:
        """Begin; the clock stands still until ``start``."""
        self._around = _CURRENT.get()
        self._token = _CURRENT.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, and take back the cancellation that is this limit's own."""
        self._has_ended = True
        if self._token is not None:
            _CURRENT.reset(self._token)
        if self._timer is not None:
            self._timer.cancel()
        if self.is_over and self._task is not None:
            self._task.uncancel()

    @property
    def was_cancelled(self) -> bool:
        """Whether somebody else has cancelled the task since this limit began; asked once it has ended."""
        return self._task is not None and self._task.cancelling() > self._cancelled_before

    def start(self) -> None:
        """Let the clock run."""
        self._is_started = True
        self._run_clock()

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """Let the clock stand still inside, and those of the calls around this one."""
        chain: list[Limit] = [self]
        while (around := chain[-1]._around) is not None:
            chain.append(around)
        for limit in chain:
            limit._stop_clock()
        try:
            yield
        finally:
            for limit in chain:
                limit._go_on()

    def _stop_clock(self) -> None:
        self._waiting += 1
        if self._timer is not None:
            self._timer.cancel()
            self._left = self._timer.when() - self._home.time()
            self._timer = None

    def _go_on(self) -> None:
        self._waiting -= 1
        if self._is_started:
            self._run_clock()

    def _run_clock(self) -> None:
        # The call may have ended, and left a task behind that still waits.
        if self._left is not None and not self._waiting and not self.is_over and not self._has_ended:
            self._timer = self._home.call_later(self._left, self._end)

    def _end(self) -> None:
        self._timer = None
        self.is_over = True
        if self._task is not None:
            self._task.cancel()


class Watched(Generic[ValueT]):
    """Awaits something in this task; the clock starts with its first wait, so that what never waits costs no timer."""

    def __init__(self, awaitable: Awaitable[ValueT], limit: Limit) -> None:
        """Await ``awaitable`` within ``limit``."""
        self._awaitable = awaitable
        self._limit = limit

    def __await__(self) -> Generator[Any, Any, ValueT]:
        """Pass everything on, as ``yield from`` does."""
        inner = self._awaitable.__await__()
        try:
            waiting = inner.send(None)
            self._limit.start()
            while True:
                try:
                    sent = yield waiting
                except GeneratorExit:
                    inner.close()
                    raise
                except BaseException as error:
                    waiting = inner.throw(error)
                else:
                    waiting = inner.send(sent)
        except StopIteration as end:
            value: ValueT = end.value
            return value


_CURRENT: ContextVar[Limit | None] = ContextVar("adjudge_limit", default=None)


async def not_counted(wait: Callable[[], Awaitable[ValueT]]) -> ValueT:
    """What ``wait`` returns; the time that it takes is not that of the plugin that waits for it."""
    limit = _CURRENT.get()
    if limit is None:
        return await wait()
    with limit.standing_still():
        return await wait()
