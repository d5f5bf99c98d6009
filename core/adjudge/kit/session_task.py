"""Runs the asynchronous code of one session in one task, on an event loop that can be abandoned."""

from __future__ import annotations

import asyncio
import re
from asyncio.tasks import _unregister_task  # pyright: ignore[reportPrivateUsage] - documented under "Extending"
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from adjudge.kit.thread_loops import Call, LoopTask, Stopped, ThreadLoop

__all__ = ["SessionTask"]

_UNNAMED: Final = re.compile(r"Task-\d+")

_left_behind: Final[set[asyncio.Task[Any]]] = set()


class SessionTask:
    """Runs the coroutines of one session in sequence, in one task and one context.

    So objects that are bound to their task, such as cancel scopes and context variables, last for the whole session.
    """

    def __init__(
        self, name: str, loop: ThreadLoop | None, refused: Callable[[BaseException], Exception]
    ) -> None:
        """Prepare the task, which starts with the first call.

        Args:
            name: The name of the task.
            loop: The event loop of the task; ``None`` for the caller's loop, which blocking code would block.
            refused: Converts exceptions that are not subclasses of ``Exception`` and would end the run.
        """
        self._name = name
        self._loop = loop
        self._refused = refused
        self._task: LoopTask | None = None
        self._left: list[tuple[Call, str]] = []
        self._cancelling: set[asyncio.Future[None]] = set()

    @property
    def left_running(self) -> str | None:
        """A message about a cancelled call that is still running; ``None`` if there is none."""
        return next((why for call, why in self._left if not call.is_over), None)

    async def call(
        self,
        function: Callable[..., Awaitable[Any]],
        *args: object,
        too_late: Callable[[Any], None] | None = None,
    ) -> Any:
        """Await a coroutine function and return its result; exceptions are converted with ``refused``.

        If the caller is cancelled, the coroutine is cancelled too. If it does not end after a few seconds, it is
        abandoned.

        Args:
            function: The third-party function.
            args: Its arguments.
            too_late: Called with a result that arrives after the caller was cancelled.
        """
        if self._task is None:
            self._task = LoopTask(self._name, self._loop)
        task, call = self._task, Call(function, *args)
        task.do(call)
        try:
            await asyncio.wait((call.ended,))
        except asyncio.CancelledError:
            if too_late is not None:
                call.ended.add_done_callback(partial(_handed_on, too_late))
            await self._cancel(task, call)
            raise
        result, error = call.ended.result()
        if error is None:
            return result
        if isinstance(error, Exception):
            raise error
        raise self._refused(error) from error

    def stop(self) -> None:
        """End the task after its current call."""
        if self._task is not None:
            self._task.do(None)
            self._task = None

    async def settled(self) -> None:
        """Wait until every cancelled call has ended or is abandoned; after that ``left_running`` is final.

        The caller that cancelled a call may close the session in the meantime.
        """
        if self._cancelling:
            await asyncio.wait(tuple(self._cancelling))

    async def _cancel(self, task: LoopTask, call: Call) -> None:
        known = asyncio.get_running_loop().create_future()
        self._cancelling.add(known)
        try:
            await self._stop(task, call)
        finally:
            self._cancelling.discard(known)
            known.set_result(None)

    async def _stop(self, task: LoopTask, call: Call) -> None:
        match await task.stopped(call):
            case Stopped.ENDED:
                return
            case Stopped.DEAF:
                task.where.post(partial(_leave_behind, task))
                why = "its code ignores that it was cancelled, and was left running"
            case Stopped.BLOCKED:
                if self._loop is not None:
                    self._loop.leave_behind(task.where)
                blocking = asyncio.current_task(task.where.loop)
                who = "its code"
                if blocking is not None and blocking is not task.task:
                    # Tasks created by the agent's code have names such as Task-4, which are not helpful.
                    unnamed = _UNNAMED.fullmatch(blocking.get_name())
                    who = "a task of the agent's code" if unnamed else blocking.get_name()
                why = f"{who} blocks the event loop, cannot be stopped, and was left running"
        self._task = None
        self._left.append((call, why))


def _leave_behind(ignoring: LoopTask) -> None:
    """Prevent the end of the loop from waiting for a task that ignores its cancellation."""
    task = ignoring.task
    if task is not None and not task.done():
        _unregister_task(task)
        # Keep a reference: asyncio reports a pending task that is garbage-collected. asyncio's own flag prevents the
        # report when the program ends.
        _left_behind.add(task)
        task._log_destroy_pending = False  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
        task.add_done_callback(_left_behind.discard)


def _handed_on(
    too_late: Callable[[Any], None], ended: asyncio.Future[tuple[Any, BaseException | None]]
) -> None:
    if not ended.cancelled():
        result, error = ended.result()
        if error is None:
            too_late(result)
