"""How many calls to one backend are under way: as many as it takes, found out while it works."""

from __future__ import annotations

import asyncio
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
        self._slots = asyncio.Semaphore(self.limit)
        self._surplus = 0
        """Slots that there are above the limit, since it was lowered: they are not given back."""
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
        """A call was answered."""
        if self._slots.locked():  # a limit that nobody reaches is no reason to raise it
            self._change(min(self._most, self._limit + (1 / self._limit if self._refused else 1)))
        if rate is not None and rate.remaining_requests == 0:
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
