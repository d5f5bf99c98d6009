"""Time limits of calls into plugins: the clock stands still while a plugin waits for the core, for instance for a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self, TypeVar

ValueT = TypeVar("ValueT")


class TimeLimit:
    """Cancels the task inside it after some seconds, and raises ``TimeoutError`` then; ``asyncio.timeout`` with a clock.

    The clock stands still until ``start``.
    """

    def __init__(self, seconds: float | None) -> None:
        """Allow ``seconds``; ``None`` for no limit."""
        self.seconds = seconds
        self.note: str | None = None
        """What became of a call that was not stopped."""
        self._timeout = asyncio.timeout(None)
        self._home = asyncio.get_running_loop()
        self._left = seconds
        self._holds = 1
        """How many things keep the clock from running: the start that is to come, and what is waited for."""
        self._starting: asyncio.Handle | None = None
        self._has_ended = False
        self._around: TimeLimit | None = None
        self._token: Token[TimeLimit | None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time was up before the end."""
        return self._timeout.expired()

    async def __aenter__(self) -> Self:
        """Begin."""
        await self._timeout.__aenter__()
        self._around = _CURRENT.get()
        self._token = _CURRENT.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        self._has_ended = True
        if self._token is not None:
            _CURRENT.reset(self._token)
        if self._starting is not None:
            self._starting.cancel()
        await self._timeout.__aexit__(kind, error, trace)

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
        if (when := self._timeout.when()) is not None and not self._is_done:
            self._left = when - self._home.time()
            self._timeout.reschedule(None)

    def _release(self) -> None:
        self._holds -= 1
        if self._left is not None and not self._holds and not self._is_done:
            self._timeout.reschedule(self._home.time() + self._left)

    @property
    def _is_done(self) -> bool:
        # The call may have ended, and left a task behind that still waits.
        return self._has_ended or self.is_over


_CURRENT: ContextVar[TimeLimit | None] = ContextVar("adjudge_time_limit", default=None)


async def not_counted(wait: Callable[[], Awaitable[ValueT]]) -> ValueT:
    """What ``wait`` returns; the time that it takes is not that of the plugin that waits for it."""
    limit = _CURRENT.get()
    if limit is None:
        return await wait()
    with limit.standing_still():
        return await wait()
