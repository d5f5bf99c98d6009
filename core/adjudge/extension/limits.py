"""Limits of calls into plugins: the clock stands still while a plugin waits for the core, for instance for a judge."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TypeVar

ValueT = TypeVar("ValueT")


class Limit:
    """Cancels the task inside it after some seconds, as ``asyncio.timeout`` does, with a clock that can stand still."""

    def __init__(self, seconds: float | None) -> None:
        """Allow ``seconds``, from ``start`` on; ``None`` for no limit."""
        self.seconds = seconds
        self.note: str | None = None
        """What became of a call that was not stopped."""
        self._left = seconds
        self._waiting = 0
        self._is_started = False
        self._timeout = asyncio.timeout(None)
        self._home = asyncio.get_running_loop()
        self._token: Token[Limit | None] | None = None
        self._around: Limit | None = None

    async def __aenter__(self) -> Limit:
        """Begin; the clock stands still until ``start``."""
        await self._timeout.__aenter__()
        self._around = _CURRENT.get()
        self._token = _CURRENT.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End.

        Raises:
            TimeoutError: the time is over.
        """
        if self._token is not None:
            _CURRENT.reset(self._token)
        await self._timeout.__aexit__(kind, error, trace)

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self._timeout.expired()

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
        ends = self._timeout.when()
        if self._waiting == 1 and ends is not None and not self.is_over:
            self._left = ends - self._home.time()
            with contextlib.suppress(RuntimeError):  # the call has ended, and left a task behind
                self._timeout.reschedule(None)

    def _go_on(self) -> None:
        self._waiting -= 1
        if self._is_started and not self.is_over:
            with contextlib.suppress(RuntimeError):
                self._run_clock()

    def _run_clock(self) -> None:
        if self._left is not None and not self._waiting:
            self._timeout.reschedule(self._home.time() + self._left)


_CURRENT: ContextVar[Limit | None] = ContextVar("adjudge_limit", default=None)


async def not_counted(wait: Callable[[], Awaitable[ValueT]]) -> ValueT:
    """What ``wait`` returns; the time that it takes is not that of the plugin that waits for it."""
    limit = _CURRENT.get()
    if limit is None:
        return await wait()
    with limit.standing_still():
        return await wait()
