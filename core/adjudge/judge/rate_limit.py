"""Limits the concurrent calls to one backend, and adapts the limit to its responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from adjudge.model.judging import RateLimit

START: Final = 16
_CEILING: Final = 256
LONGEST_PAUSE: Final = 300.0
"""The longest wait in seconds. If a provider asks for more, the call fails, and ``adjudge resume`` tries again."""


class AdaptiveLimiter:
    """Additive increase, multiplicative decrease, as TCP does (Chiu and Jain 1989).

    The limit of concurrent calls starts at ``START`` and doubles with every round of successes until the first
    refusal; after that it grows by one per round. A refusal halves it, once for all calls of the same round. While
    the provider asks to wait, no new call is sent.
    """

    def __init__(self, most: int = _CEILING) -> None:
        """Start with ``START`` concurrent calls, and never allow more than ``most``."""
        self._most = most
        self._limit = float(min(START, most))
        self._slots = asyncio.Semaphore(self.limit)
        self._surplus = 0
        """The number of slots above the limit after it was lowered. They are removed when they are released."""
        self._refused = False
        self._round = 0
        self._paused_until = 0.0

    @property
    def limit(self) -> int:
        """The current limit of concurrent calls."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[int]:
        """A context for one call; it yields the number of the call's round, for ``refused``."""
        await self._slots.acquire()
        while self._surplus:  # the limit was lowered while this slot was free
            self._surplus -= 1
            await self._slots.acquire()
        try:
            while (pause := self._paused_until - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(pause)
            yield self._round
        finally:
            self._give_back()

    def succeeded(self, rate: RateLimit | None) -> None:
        """Record that a call was answered; raise the limit if it was reached."""
        if self._slots.locked():  # raise the limit only if it was reached
            self._change(min(self._most, self._limit + (1 / self._limit if self._refused else 1)))
        if rate is not None and rate.remaining_requests == 0:
            self._pause_for(rate.reset_after)

    def refused(self, round_: int, retry_after: float | None) -> None:
        """Reduce the limit: the provider is overloaded.

        Args:
            round_: The round from ``slot``.
            retry_after: Seconds that the provider asks to wait.
        """
        self._refused = True
        if round_ == self._round:
            self._round += 1
            self._change(max(1.0, self._limit / 2))
        self._pause_for(retry_after)

    def _pause_for(self, seconds: float | None) -> None:
        if seconds is not None and seconds <= LONGEST_PAUSE:
            self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def _change(self, limit: float) -> None:
        more = int(limit) - self.limit
        self._limit = limit
        self._surplus += max(0, -more)
        for _ in range(more):
            self._give_back()

    def _give_back(self) -> None:
        if self._surplus:
            self._surplus -= 1
        else:
            self._slots.release()
