"""How many calls to one backend are under way: as many as it takes, found out while it works."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from adjudge.model.judging import RateLimit

START: Final = 16
_CEILING: Final = 256
LONGEST_PAUSE: Final = 300.0
"""Seconds. Whoever asks for more is not waited for: the call fails, and ``adjudge resume`` tries again."""


class AdaptiveLimiter:
    """Additive increase, multiplicative decrease, as TCP does (Chiu and Jain 1989).

    It starts with ``START`` calls at a time and doubles with every round of successes until the first
    refusal; from then on it grows by one a round. A refusal halves it, once for all the calls that were
    under way together. While the provider asks to wait, nothing new is sent.
    """

    def __init__(self, most: int = _CEILING) -> None:
        """Begin with ``START`` calls at a time, or ``most`` where that is less; never allow more than ``most``."""
        self._most = most
        self._limit = float(min(START, most))
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._refused = False
        self._round = 0
        self._paused_until = 0.0

    @property
    def limit(self) -> int:
        """How many calls may be under way now."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[int]:
        """One call under way; gives the round that it belongs to."""
        if self._waiting or self._pause() > 0 or self._running >= self.limit:
            await self._turn()
        else:
            self._running += 1
        try:
            yield self._round
        finally:
            self._running -= 1
            self._wake()

    def succeeded(self, rate: RateLimit | None) -> None:
        """A call was answered."""
        if (
            self._waiting or self._running >= self.limit
        ):  # a limit that nobody reaches is no reason to raise it
            self._limit = min(self._most, self._limit + (1 / self._limit if self._refused else 1))
        if rate is not None and rate.remaining_requests == 0 and rate.reset_after:
            self._pause_for(rate.reset_after)

    def refused(self, round_: int, retry_after: float | None) -> None:
        """The provider had too much to do.

        Args:
            round_: What ``slot`` gave.
            retry_after: Seconds that the provider asks to wait.
        """
        self._refused = True
        if round_ == self._round:
            self._round += 1
            self._limit = max(1.0, self._limit / 2)
        if retry_after is not None:
            self._pause_for(retry_after)

    def _pause_for(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        if seconds <= LONGEST_PAUSE and until > self._paused_until:
            self._paused_until = until
            # Whoever waits already, waits for a call to end; in a pause the last one may have ended.
            loop.call_at(until, self._go_on, until)

    def _go_on(self, until: float) -> None:
        if self._paused_until <= until:  # not by the clock: timers may be early by its resolution
            self._paused_until = 0.0
        self._wake()

    def _pause(self) -> float:
        return self._paused_until - asyncio.get_running_loop().time()

    async def _turn(self) -> None:
        """Wait in line; whoever comes back is counted as running already."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was this one's turn
                self._running -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self._running < self.limit and self._pause() <= 0:
            turn = self._waiting.popleft()
            if not turn.done():
                self._running += 1
                turn.set_result(None)
