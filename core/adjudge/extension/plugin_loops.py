"""Event loops for other people's plugins, one each, in daemon threads.

A coroutine that blocks holds up every coroutine of its event loop, and nothing can stop it. On a loop of its own
it holds up its own plugin alone; once its time is over, the loop is left behind and replaced.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias, TypeVar

from adjudge.extension import guard
from adjudge.extension.limits import Limit
from adjudge.extension.threads import ThreadLoop, tell

ValueT = TypeVar("ValueT")
_Outcome: TypeAlias = tuple[Any, BaseException | None]

ANSWERING: Final = 2.0
"""Seconds within which a loop that is not blocked runs a callback."""

_BLOCKED_TOO_OFTEN: Final = 3
"""Calls that were left behind while they blocked; then the plugin is not called any more."""


class NotCalledError(Exception):
    """The call was not made: earlier ones have blocked for good."""


class PluginLoop:
    """The event loop that the coroutines of one plugin run on."""

    def __init__(self, name: str) -> None:
        """Prepare; the thread, called ``name``, starts with the first call."""
        self._thread = ThreadLoop(name)
        self._not_begun: set[_Call] = set()
        self._blocked = 0

    async def outcome(self, coroutine: Callable[[], Awaitable[Any]], limit: Limit) -> _Outcome:
        """What a call returns or raises. ``limit`` begins when it does, not while it waits for its turn.

        Raises:
            NotCalledError: the plugin has blocked too often.
        """
        while True:
            if self._blocked >= _BLOCKED_TOO_OFTEN:
                raise NotCalledError(f"{self._blocked} calls into it have blocked, and were left running")
            loop, call = self._thread.running(), _Call(coroutine)
            self._not_begun.add(call)
            try:
                call.submit(loop)
                if await self._begun(loop, call, limit.seconds):
                    limit.start()
                    await asyncio.wait((call.ended,))
                    return call.ended.result()
            except asyncio.CancelledError:
                if not call.claimed():
                    limit.note = await self._stopped(loop, call)
                raise
            finally:
                self._not_begun.discard(call)

    async def aclose(self) -> None:
        """End the loop, and what still runs on it."""
        await self._thread.aclose()

    async def _begun(self, loop: asyncio.AbstractEventLoop, call: _Call, patience: float | None) -> bool:
        """Whether the call has begun; not so where its loop was left behind before its turn came."""
        await asyncio.wait((call.begun,), timeout=patience)
        while not call.begun.done():
            if not await _answers(loop):
                self._leave_behind(loop)
            await asyncio.wait((call.begun,), timeout=patience)
        return call.begun.result()

    async def _stopped(self, loop: asyncio.AbstractEventLoop, call: _Call) -> str | None:
        """Cancel a call; why it runs on where it does."""
        if await _answers(loop, call.cancel):
            await asyncio.wait((call.ended,), timeout=guard.GRACE)
            return None if call.ended.done() else "it ignores that it was cancelled, and was left running"
        if call.ended.done():
            return None
        self._blocked += 1
        self._leave_behind(loop)
        return "it blocks, cannot be stopped, and was left running"

    def _leave_behind(self, loop: asyncio.AbstractEventLoop) -> None:
        self._thread.leave_behind(loop)
        for call in [call for call in self._not_begun if call.loop is loop]:
            if call.claimed() and not call.begun.done():
                call.begun.set_result(False)


class _Call:
    """One call, made by one thread and run by another."""

    def __init__(self, coroutine: Callable[[], Awaitable[Any]]) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._coroutine = coroutine
        self._claim = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._home = asyncio.get_running_loop()
        self.begun: asyncio.Future[bool] = self._home.create_future()
        self.ended: asyncio.Future[_Outcome] = self._home.create_future()

    def submit(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run it on ``loop``, in the context of the caller."""

        def start() -> None:
            self._task = loop.create_task(self._run())

        self.loop = loop
        loop.call_soon_threadsafe(start, context=contextvars.copy_context())

    def claimed(self) -> bool:
        """Whether whoever asks decides what becomes of it, because nobody asked before."""
        return self._claim.acquire(blocking=False)

    def cancel(self) -> None:
        """Cancel it; called on its own loop."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        if not self.claimed():
            return
        tell(self._home, self.begun, True)
        try:
            outcome: _Outcome = await self._coroutine(), None
        except (
            BaseException
        ) as error:  # of a thread that Ctrl-C does not reach: KeyboardInterrupt is not the user's
            outcome = None, error
        tell(self._home, self.ended, outcome)


async def _answers(loop: asyncio.AbstractEventLoop, run: Callable[[], None] = lambda: None) -> bool:
    """Whether ``loop`` runs a callback in time."""
    here = asyncio.get_running_loop()
    answered: asyncio.Future[None] = here.create_future()

    def answer() -> None:
        tell(here, answered, None)
        run()

    loop.call_soon_threadsafe(answer)
    await asyncio.wait((answered,), timeout=ANSWERING)
    return answered.done()


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
    """Let the coroutines of other people's plugins run on loops of their own inside."""
    loops = _Loops()
    token = _CURRENT.set(loops)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        await loops.aclose()


def loop_of(plugin: str) -> PluginLoop | None:
    """The loop of a plugin; ``None`` outside of a run, and for what calls from another loop than the run's."""
    loops = _CURRENT.get()
    return loops.of(plugin) if loops is not None and loops.home is asyncio.get_running_loop() else None


async def at_home(call: Callable[[], Coroutine[Any, Any, ValueT]]) -> ValueT:
    """What a coroutine of the core returns that a plugin calls; it runs on the run's own loop."""
    loops = _CURRENT.get()
    if loops is None or loops.home is asyncio.get_running_loop():
        return await call()
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(), loops.home))
