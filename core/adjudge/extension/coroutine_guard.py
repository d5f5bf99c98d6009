"""The guard around coroutines of plugins: they are awaited on their own event loop, with a time limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar, cast

from adjudge.errors import AdjudgeError, PluginError
from adjudge.extension.guard import (
    LimitExceededError,
    Origin,
    PluginRaisedError,
    PluginTimeoutError,
    guarded,
)
from adjudge.extension.plugin_loops import outcome

ValueT = TypeVar("ValueT")

CLOSING: Final = 10.0
"""The time limit for closing a component in seconds."""


async def awaited(
    origin: Origin,
    call: str,
    coroutine: Callable[[], Awaitable[ValueT]],
    *,
    passing: tuple[type[AdjudgeError], ...] = (),
    within: float | None = None,
) -> ValueT:
    """Await a coroutine of a plugin and return its result.

    In a run, coroutines of third-party plugins run on a separate event loop in a thread, one for each plugin.

    Args:
        origin: The owner of the code.
        call: The name of the call, for messages.
        coroutine: Creates the coroutine; called once.
        passing: Exceptions that the call's contract allows; they are passed on unchanged.
        within: The time limit in seconds; ``None`` for no limit.

    Raises:
        PluginRaisedError: it raised another exception, or a ``CancelledError`` without being cancelled.
        PluginTimeoutError: it took longer than ``within``.
        asyncio.CancelledError: the calling task was cancelled. A coroutine that does not end ``GRACE`` seconds after
            that is no longer waited for.
    """
    value, raised = await outcome(origin, coroutine, within)
    if raised is None:
        return cast("ValueT", value)
    if isinstance(raised, LimitExceededError):
        raise PluginTimeoutError(f"{call} of {origin.provenance} {raised}")
    if isinstance(raised, KeyboardInterrupt):  # raised by the plugin: Ctrl-C never reaches its thread
        raise PluginRaisedError(origin, call, raised)
    with guarded(origin, call, passing=passing):
        raise raised


async def closed(origin: Origin, component: object) -> str | None:
    """Close a component if it has ``aclose``. A failure does not raise; its message is returned.

    Args:
        origin: The owner of the code.
        component: The component that a factory made.
    """
    aclose = getattr(component, "aclose", None)
    if aclose is None:
        return None
    try:
        await awaited(origin, "aclose", aclose, within=CLOSING)
    except PluginError as error:
        return str(error)
    return None
