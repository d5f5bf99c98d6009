"""Signals that ask the process to end: each ends a run as Ctrl-C does, so that it can be resumed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Coroutine
from types import FrameType
from typing import Any, Final, TypeVar

ResultT = TypeVar("ResultT")

_ENDING: Final = ("SIGTERM", "SIGHUP")
_NOTICED_WITHIN: Final = 0.25
"""Seconds."""
_BLOCKED_AFTER: Final = 2.0
"""Seconds without a beat after which the event loop counts as blocked by what runs on it."""


class _Beats:
    """Tells an event loop that goes on from one that is blocked."""

    now = 0
    at_last_look = 0


def end_as_interrupted() -> None:
    """Let what asks this process to end do what Ctrl-C does. A signal that is ignored (``nohup``) stays so."""
    for name in _ENDING:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


async def noticing_signals(running: Coroutine[Any, Any, ResultT]) -> ResultT:
    """The result of ``running``, in an event loop that notices every signal soon.

    One that comes just before the loop begins to wait is noticed only when the loop wakes up; a loop that waits
    for one slow answer might not wake up for hours.
    """
    import asyncio  # not above: --help needs no loop

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
    # An event loop has its own way of ending at Ctrl-C; jobs in the background of a shell ignore Ctrl-C.
    at_ctrl_c = signal.getsignal(signal.SIGINT)
    if not callable(at_ctrl_c):
        raise KeyboardInterrupt
    at_ctrl_c(signal.SIGINT, frame)  # returns where an event loop only asks the run to end
    if sys.platform != "win32":
        _Beats.at_last_look = _Beats.now
        signal.signal(signal.SIGALRM, _interrupt_if_blocked)
        signal.setitimer(signal.ITIMER_REAL, _BLOCKED_AFTER, _BLOCKED_AFTER)


def _interrupt_if_blocked(_: int, __: FrameType | None) -> None:
    # Code that blocks the event loop never hears that the run is to end, and nobody presses Ctrl-C again.
    if _Beats.now == _Beats.at_last_look:
        raise KeyboardInterrupt
    _Beats.at_last_look = _Beats.now
