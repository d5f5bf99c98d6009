"""The circuit breaker: stops calls to a provider that has failed too often in a row."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from adjudge.errors import JudgeError
from adjudge.judge.failure_classes import OF_ONE_QUESTION

IN_A_ROW: Final = 5
"""Consecutive failures after which a provider is considered unavailable."""

PATIENCE: Final = 60.0
"""Seconds without a success during which failed attempts do not stop calls."""


class Breaker:
    """Counts consecutive failures, and stops all further calls.

    It stops after ``IN_A_ROW`` calls that failed with all their retries, and after as many attempts if the provider
    has not answered for ``PATIENCE`` seconds, for instance because its name does not resolve.
    """

    def __init__(self, name: str, *, counting: bool = True) -> None:
        """Watch the calls to the provider ``name``; if ``counting`` is false, calls are never stopped."""
        self._name = name
        self._counting = counting
        self._calls = 0
        self._attempts = 0
        self._since: float | None = None
        self._stop = asyncio.Event()
        self._reason = ""

    def check(self) -> None:
        """Check that calls are not stopped.

        Raises:
            JudgeError: calls are stopped.
        """
        if self._reason:
            raise JudgeError(self._reason, code="unavailable")

    async def sleep(self, seconds: float) -> None:
        """Wait for ``seconds`` before the next attempt, or until calls are stopped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    def answered(self) -> None:
        """Record that the provider answered."""
        self._calls = self._attempts = 0
        self._since = None

    def attempt_failed(self, error: JudgeError) -> None:
        """Record a failed attempt, which may be retried."""
        if error.code in OF_ONE_QUESTION:
            self.answered()
            return
        now = asyncio.get_running_loop().time()
        if self._since is None:
            self._since = now
        self._attempts += 1
        if self._attempts >= IN_A_ROW and error.retry_after is None and now - self._since >= PATIENCE:
            self._open(f"{self._attempts} attempts", error)

    def call_failed(self, error: JudgeError) -> None:
        """Record a call that failed with all its retries."""
        if error.code not in OF_ONE_QUESTION:
            self._calls += 1
            if self._calls >= IN_A_ROW:
                self._open(f"{self._calls} calls", error)

    def _open(self, failed: str, last: JudgeError) -> None:
        if self._counting and not self._reason:
            self._reason = (
                f"{self._name} is no longer called: {failed} in a row failed, the last because {last}"
            )
            self._stop.set()
