"""Signals that end the process: they end a run like Ctrl-C, so that it can be resumed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Coroutine
from types import FrameType
from typing import Any, Final, TypeVar

ResultT = TypeVar("ResultT")

_ENDING: Final = ("SIGTERM", "SIGHUP")
_NOTICED_WITHIN: Final = 0.25
"""The maximum delay in seconds after which the event loop notices a signal."""
_BLOCKED_AFTER: Final = 2.0
"""Seconds without a heartbeat after which the event loop counts as blocked."""


class _Beats:
    """A heartbeat counter that shows whether the event loop is blocked."""

    now = 0
    at_last_look = 0


def end_as_interrupted() -> None:
    """Let signals that ask this process to end act like Ctrl-C. Ignored signals (``nohup``) stay ignored."""
    for name in _ENDING:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


async def noticing_signals(running: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Await ``running`` in an event loop that notices signals soon, and return its result.

    A signal just before the loop begins to wait is noticed only when the loop wakes up, and a loop that waits for a
    slow answer might not wake up for hours.
    """
    import asyncio  # not at the top: --help needs no event loop

    async def wake() -> None:
        while True:
            _Beats.now += 1
            await asyncio.sleep(_NOTICED_WITHIN)

    waking = asyncio.ensure_future(wake())
    try:
        return await running
    finally:
        waking.cancel()
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)


def _interrupt(_: int, frame: FrameType | None) -> None:
    # Use the handler of Ctrl-C, because an event loop installs its own; background jobs of a shell ignore Ctrl-C.
    at_ctrl_c = signal.getsignal(signal.SIGINT)
    if not callable(at_ctrl_c):
        raise KeyboardInterrupt
    at_ctrl_c(signal.SIGINT, frame)  # returns if an event loop handles Ctrl-C
    if sys.platform != "win32":
        _Beats.at_last_look = _Beats.now
        signal.signal(signal.SIGALRM, _interrupt_if_blocked)
        signal.setitimer(signal.ITIMER_REAL, _BLOCKED_AFTER, _BLOCKED_AFTER)


def _interrupt_if_blocked(_: int, __: FrameType | None) -> None:
    # Code that blocks the event loop does not notice the request to end, and there will be no second Ctrl-C.
    if _Beats.now == _Beats.at_last_look:
        raise KeyboardInterrupt
    _Beats.at_last_look = _Beats.now
