"""Runs blocking code in threads, so that it does not block the event loop of the run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.extension import guard

if TYPE_CHECKING:
    import asyncio

ValueT = TypeVar("ValueT")


def handover(
    call: Callable[[], Any], refused: Callable[[BaseException], Exception]
) -> tuple[Callable[[], None], asyncio.Future[Any]]:
    """Create a function to run in a thread, and a future of the running loop that receives its outcome.

    The caller starts the thread, which should be a daemon thread: Python waits for asyncio's own thread pool at the end
    of the program, so code that hangs would block the end.

    Args:
        call: The blocking code.
        refused: Converts exceptions that a future cannot hold or that would end the run: ``StopIteration``, and those
            that are not subclasses of ``Exception``.
    """
    # Not at the top: every plugin imports this module, and most need no event loop.
    from adjudge.extension.loop_threads import mailbox_here

    home = mailbox_here()
    done: asyncio.Future[Any] = home.loop.create_future()

    def deliver(result: Any, error: Exception | None) -> None:
        if done.done():  # it was timed out or cancelled meanwhile
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


def limited(origin: guard.Origin, call: str, function: Callable[[], None]) -> None:
    """Call a blocking function of a plugin; one of a third party in a daemon thread, for ``guard.LONGEST`` seconds.

    Args:
        origin: The owner of the code.
        call: The name of the call, for messages.
        function: The function.

    Raises:
        PluginRaisedError: it raised an exception.
        PluginTimeoutError: it took too long, and was left running.
    """
    if origin.is_built_in:
        with guard.guarded(origin, call):
            function()
        return
    ended: SimpleQueue[guard.PluginRaisedError | None] = SimpleQueue()

    def work() -> None:
        try:
            with guard.guarded(origin, call):
                function()
            ended.put(None)
        except guard.PluginRaisedError as error:
            ended.put(error)

    threading.Thread(target=work, name=f"adjudge {call}", daemon=True).start()
    try:
        raised = ended.get(timeout=guard.LONGEST)
    except Empty:
        late = f"took longer than {guard.LONGEST:g} s, and was left running"
        raise guard.PluginTimeoutError(f"{call} of {origin.provenance} {late}") from None
    if raised is not None:
        raise raised


async def computed(function: Callable[..., ValueT], *args: Any, in_thread: bool) -> ValueT:
    """Call a function; if it is slow, in a daemon thread, so that it does not block the event loop.

    Time limits and the end of the program do not wait for the thread.

    Args:
        function: The function. It must be thread-safe, and only raise subclasses of ``Exception``.
        args: Its arguments.
        in_thread: Whether to use a thread. For a fast function the thread would cost more than the call.
    """
    if not in_thread:
        return function(*args)
    work, done = handover(lambda: function(*args), lambda error: RuntimeError(guard.described(error)))
    threading.Thread(target=work, name=f"adjudge {function.__qualname__}", daemon=True).start()
    result: ValueT = await done
    return result
