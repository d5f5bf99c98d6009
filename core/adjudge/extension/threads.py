"""Runs plugin and agent code in threads, so that code that blocks does not block the event loop of the run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.extension import guard

if TYPE_CHECKING:
    import asyncio

    from adjudge.extension.sessions import SessionTask

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


class ThreadLoop:
    """An event loop in a daemon thread, which starts with its first use."""

    def __init__(self, name: str) -> None:
        """Prepare a loop whose thread is called ``name``."""
        self._name = name
        self._served: _Served | None = None

    def running(self) -> asyncio.AbstractEventLoop:
        """The loop; a new one where there is none yet, or where the last one was left behind."""
        import asyncio  # not above, as in ``handover``

        if self._served is None:
            served = _Served(asyncio.new_event_loop())
            try:
                threading.Thread(target=served.serve, name=self._name, daemon=True).start()
            except BaseException:  # a loop that no thread runs would answer nobody
                served.loop.close()
                raise
            self._served = served
        return self._served.loop

    def leave_behind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run nothing new on a loop that is blocked."""
        if self._served is not None and self._served.loop is loop:
            self._served = None

    async def aclose(self) -> None:
        """End the loop, and what still runs on it. A loop that is blocked is left behind."""
        served, self._served = self._served, None
        if served is None:
            return
        import asyncio

        here = asyncio.get_running_loop()
        ended: asyncio.Future[None] = here.create_future()
        served.end(lambda: tell(here, ended, None))
        await asyncio.wait((ended,), timeout=guard.GRACE)


class _Served:
    """An event loop, and the thread that runs it until it is told to end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._when_ended: Callable[[], None] | None = None
        self._is_ending = False

    def serve(self) -> None:
        """Run the loop; what the thread does."""
        import asyncio

        asyncio.set_event_loop(self.loop)
        while not self._is_ending:
            # A task that the code has started may raise SystemExit, and the code may stop the loop.
            with contextlib.suppress(BaseException):
                self.loop.run_forever()
        self.loop.close()
        if self._when_ended is not None:
            self._when_ended()

    def end(self, when_ended: Callable[[], None]) -> None:
        """Cancel what still runs, and end the loop; from whatever thread.

        Args:
            when_ended: Called by the thread once the loop is closed.
        """
        self._when_ended = when_ended
        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(self._end()))

    async def _end(self) -> None:
        import asyncio

        try:
            for task in (others := asyncio.all_tasks() - {asyncio.current_task()}):
                task.cancel()
            if others:
                await asyncio.wait(others, timeout=guard.GRACE / 2)
            await self.loop.shutdown_asyncgens()
        finally:
            self._is_ending = True
            self.loop.stop()


def tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[ValueT], value: ValueT) -> None:
    """Set the result of a future of another thread's loop."""

    def told() -> None:
        if not future.done():
            future.set_result(value)

    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(told)


def session_task(
    name: str, loop: ThreadLoop | None, refused: Callable[[BaseException], Exception]
) -> SessionTask:
    """A task that runs the coroutines of one session, and that can be left behind.

    Args:
        name: Whose session it is; the name of the task.
        loop: Where it runs; ``None`` for the loop of whoever calls, which blocking code blocks.
        refused: Makes an exception of what is no ``Exception`` and would end the run.
    """
    from adjudge.extension.sessions import SessionTask  # not above: it imports asyncio

    return SessionTask(name, loop, refused)
