"""Awaiting a plugin's coroutine within its limit: in the task that calls, in one of its own, or on the plugin's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from adjudge.extension import guard
from adjudge.extension.limits import Limit, Watched
from adjudge.extension.loop_tasks import Outcome
from adjudge.extension.plugin_loops import NotCalledError, loop_of


async def outcome(
    origin: guard.Origin, coroutine: Callable[[], Awaitable[object]], within: float | None
) -> Outcome:
    """What a call returned or raised; a ``LimitExceededError`` where it took too long.

    Raises:
        asyncio.CancelledError: the calling task was cancelled.
    """
    limit = Limit(within)
    try:
        with limit:
            if (
                origin.is_built_in
            ):  # it does nothing to the current task, and making another one would cost time
                return await Watched(coroutine(), limit), None
            if (loop := loop_of(origin.provenance)) is not None:
                return await loop.outcome(coroutine, limit)
            return await _in_a_task_of_its_own(coroutine, limit)
    except NotCalledError as error:
        return None, guard.LimitExceededError(f"was not called: {error}")
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


async def _in_a_task_of_its_own(coroutine: Callable[[], Awaitable[object]], limit: Limit) -> Outcome:
    """Call somebody's coroutine in a task of its own, so that it cannot cancel the current one."""
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
    except BaseException as error:  # returned: a task that raises SystemExit takes the event loop down
        return None, error
