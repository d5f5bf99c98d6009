"""Signals that ask the process to end: each ends a run as Ctrl-C does, so that it can be resumed."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from types import FrameType
from typing import Any, Final, TypeVar

ResultT = TypeVar("ResultT")

_ENDING: Final = ("SIGTERM", "SIGHUP")
_NOTICED_WITHIN: Final = 0.25
"""Seconds."""


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
            await asyncio.sleep(_NOTICED_WITHIN)

    waking = asyncio.ensure_future(wake())
    try:
        return await running
    finally:
        waking.cancel()


def _interrupt(_: int, frame: FrameType | None) -> None:
    # An event loop has its own way of ending at Ctrl-C; jobs in the background of a shell ignore Ctrl-C.
    at_ctrl_c = signal.getsignal(signal.SIGINT)
    if callable(at_ctrl_c):
        at_ctrl_c(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt
