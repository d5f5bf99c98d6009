"""Runs blocking code in threads, so that it does not block the event loop of the run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.extension import guard

if TYPE_CHECKING:
    import asyncio

ValueT = TypeVar("ValueT")


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
    # Not above: every plugin imports this module, and most need no loop.
    from adjudge.extension.loop_threads import mailbox_here

    home = mailbox_here()
    done: asyncio.Future[Any] = home.loop.create_future()

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
        ours = os.getpid()
        try:
            result = call()
        except BaseException as error:
            if isinstance(error, Exception) and not isinstance(error, StopIteration):
                failure = error
            else:
                failure = refused(error)
                failure.__cause__ = error
        guard.end_fork_of(ours)
        home.post(lambda: deliver(result, failure))

    return work, done


async def computed(function: Callable[..., ValueT], *args: Any, in_thread: bool) -> ValueT:
    """Call a function that computes; in a daemon thread where that takes long.

    The event loop stays free meanwhile. A call that exceeds its limit, or the end of the program, does not wait for it.

    Args:
        function: It raises nothing that would end a run, and shares nothing that changes.
        args: What it is given.
        in_thread: Whether it takes long: what is quick is quicker without a thread.
    """
    if not in_thread:
        return function(*args)
    work, done = handover(lambda: function(*args), lambda error: RuntimeError(guard.described(error)))
    threading.Thread(target=work, name=f"adjudge {function.__qualname__}", daemon=True).start()
    result: ValueT = await done
    return result
