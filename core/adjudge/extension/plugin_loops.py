"""Awaits coroutines of plugins: each third-party plugin has its own event loop in a daemon thread.

A blocking coroutine blocks all coroutines of its event loop, and nothing can stop it. With a separate loop it blocks
only its own plugin; after its time limit the loop is abandoned and replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from adjudge.extension import guard
from adjudge.extension.loop_threads import Call, LoopTask, Outcome, Stopped, ThreadLoop
from adjudge.extension.time_limit import TimeLimit

ValueT = TypeVar("ValueT")

ANSWERING: Final = 2.0
"""Seconds after which a loop that runs no callback counts as blocked."""

_BLOCKED_TOO_OFTEN: Final = 3
"""The number of abandoned blocking calls after which a plugin is no longer called."""


class PluginLoop:
    """The event loop of one plugin's coroutines."""

    def __init__(self, name: str) -> None:
        """Prepare a loop in a thread named ``name``, which starts with the first call."""
        self._name = name
        self._thread = ThreadLoop(name)
        self._not_begun: dict[Call, LoopTask] = {}
        self._blocked = 0

    async def outcome(self, coroutine: Callable[[], Awaitable[Any]], limit: TimeLimit) -> Outcome:
        """The return value or exception of a call. The clock of ``limit`` starts when the call begins to run."""
        while self._blocked < _BLOCKED_TOO_OFTEN:
            task, call = LoopTask(self._name, self._thread), Call(coroutine, tells_begin=True)
            self._not_begun[call] = task
            try:
                task.do(call, None)
                if await self._begun(task, call, limit.seconds):
                    limit.start()
                    await asyncio.wait((call.ended,))
                    return call.ended.result()
            except asyncio.CancelledError:
                if not call.claimed():
                    limit.note = await self._stopped(task, call)
                raise
            finally:
                self._not_begun.pop(call, None)
        left = f"{self._blocked} calls into it have blocked, and were left running"
        return None, guard.LimitExceededError(f"was not called: {left}")

    async def aclose(self) -> None:
        """Cancel the loop's tasks and end it."""
        await self._thread.aclose()

    async def _begun(self, task: LoopTask, call: Call, patience: float | None) -> bool:
        """Wait until the call has begun; false if its loop was abandoned before that."""
        await asyncio.wait((call.begun,), timeout=patience)
        while not call.begun.done():
            if not await task.answers(ANSWERING):
                self._leave_behind(task)
            await asyncio.wait((call.begun,), timeout=patience)
        return call.begun.result()

    async def _stopped(self, task: LoopTask, call: Call) -> str | None:
        """Cancel a call; if it does not end, return the reason as a message."""
        match await task.stopped(call, ANSWERING):
            case Stopped.ENDED:
                return None
            case Stopped.DEAF:
                return "it ignores that it was cancelled, and was left running"
            case Stopped.BLOCKED:
                self._blocked += 1
                self._leave_behind(task)
                return "it blocks, cannot be stopped, and was left running"

    def _leave_behind(self, task: LoopTask) -> None:
        self._thread.leave_behind(task.where)
        for call, waiting in self._not_begun.items():
            if waiting.where is task.where and call.claimed() and not call.begun.done():
                call.begun.set_result(False)


class _Loops:
    """The loops of one run."""

    def __init__(self) -> None:
        self.home = asyncio.get_running_loop()
        self._loops: dict[str, PluginLoop] = {}

    def of(self, plugin: str) -> PluginLoop:
        if plugin not in self._loops:
            self._loops[plugin] = PluginLoop(f"adjudge {plugin}")
        return self._loops[plugin]

    async def aclose(self) -> None:
        await asyncio.gather(*(loop.aclose() for loop in self._loops.values()))


_CURRENT: ContextVar[_Loops | None] = ContextVar("adjudge_plugin_loops", default=None)


@asynccontextmanager
async def plugin_loops() -> AsyncGenerator[None]:
    """A context in which the coroutines of third-party plugins run on separate event loops."""
    loops = _Loops()
    token = _CURRENT.set(loops)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        await loops.aclose()


def loop_of(plugin: str) -> PluginLoop | None:
    """The loop of a plugin; ``None`` outside of a run, or if the caller is not on the run's own loop."""
    loops = _CURRENT.get()
    return loops.of(plugin) if loops is not None and loops.home is asyncio.get_running_loop() else None


async def at_home(call: Callable[[], Coroutine[Any, Any, ValueT]]) -> ValueT:
    """Run a coroutine of the core, called by a plugin, on the run's own loop, and return its result."""
    loops = _CURRENT.get()
    if loops is None or loops.home is asyncio.get_running_loop():
        return await call()
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(), loops.home))


async def outcome(
    origin: guard.Origin, coroutine: Callable[[], Awaitable[object]], within: float | None
) -> Outcome:
    """The return value or exception of a call; a ``LimitExceededError`` if it took too long.

    Raises:
        asyncio.CancelledError: the calling task was cancelled.
    """
    limit = TimeLimit(within)
    try:
        with limit:
            if origin.is_built_in:  # it does not cancel the current task, and a separate task would cost time
                limit.start_at_first_wait()
                return await coroutine(), None
            if (loop := loop_of(origin.provenance)) is not None:
                return await loop.outcome(coroutine, limit)
            return await _in_a_task_of_its_own(coroutine, limit)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if not isinstance(error, asyncio.CancelledError):
            return None, error
        if limit.was_cancelled:
            raise
        if not limit.is_over:
            return None, error
        note = f"; {limit.note}" if limit.note else ""
        return None, guard.LimitExceededError(f"took longer than {within:g} s{note}")


async def _in_a_task_of_its_own(coroutine: Callable[[], Awaitable[object]], limit: TimeLimit) -> Outcome:
    """Run a third-party coroutine in a separate task, so that it cannot cancel the current one."""
    task = asyncio.ensure_future(_caught(coroutine))
    limit.start()
    try:
        await asyncio.wait((task,))
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,), timeout=guard.GRACE)
    return (None, asyncio.CancelledError()) if task.cancelled() else task.result()


async def _caught(coroutine: Callable[[], Awaitable[object]]) -> Outcome:
    try:
        return await coroutine(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # return it: a task that raises SystemExit would end the event loop
        return None, error
