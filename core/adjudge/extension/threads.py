"""Somebody's blocking code in a thread, its outcome on the event loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


def handover(
    call: Callable[[], Any], refused: Callable[[BaseException], Exception]
) -> tuple[Callable[[], None], asyncio.Future[Any]]:
    """Work for a thread that the caller chooses, and a future of the running loop that gets the outcome.

    The thread should be a daemon: asyncio's own pool is waited for at the end of the program, so that
    code that hangs would keep it for ever.

    Args:
        call: The blocking code.
        refused: Makes an exception of what a future does not take: ``StopIteration``, and what is no
            ``Exception`` and would end the run.
    """
    import asyncio  # not above: every plugin imports this module, and most need no loop

    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def deliver(result: Any, error: Exception | None) -> None:
        if done.done():  # timed out or cancelled meanwhile
            return
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def work() -> None:
        result: Any = None
        failure: Exception | None = None
        try:
            result = call()
        except BaseException as error:
            if isinstance(error, Exception) and not isinstance(error, StopIteration):
                failure = error
            else:
                failure = refused(error)
                failure.__cause__ = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result, failure)

    return work, done
