"""Calling somebody's code: asynchronous code on the loop, blocking code in a thread of its session."""

from __future__ import annotations

import _thread
import contextvars
import inspect
import queue
import threading
from collections.abc import Callable
from typing import Any

from adjudge.plugin import AgentError, handover


class Caller:
    """Calls the code of one session. Nobody else waits for code that blocks.

    All blocking calls of a session run in one thread and one context, so that what is bound to a
    thread (a database connection) and context variables last for the conversation and no longer.
    It is no pool: a call that hangs would occupy one of a pool's workers for ever, and the interpreter
    waits for a pool's threads at exit. A daemon thread is left behind instead.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: _Thread | None = None

    async def call(self, function: Callable[..., Any], *args: object) -> Any:
        """The result of ``function``, awaited where it is awaitable.

        Raises:
            AgentError: the code called ``sys.exit`` or raised something else that would end the run.
        """
        try:
            if _is_coroutine_function(function):
                return await function(*args)
            if self._thread is None or self._thread.busy:  # busy: an abandoned call still hangs there
                self.stop()
                self._thread = _Thread(self._name)
            result = await self._thread.run(function, args)
            return await result if inspect.isawaitable(result) else result
        except SystemExit as error:
            raise _would_end_the_run(error) from error

    def stop(self) -> None:
        """Let the thread end as soon as it is idle."""
        if self._thread is not None:
            self._thread.stop()
            self._thread = None


class _Thread:
    def __init__(self, name: str) -> None:
        self.busy = False
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._context = contextvars.copy_context()
        self._name = name
        # Thread.start() would hold up the loop, and with it every other session, until the thread runs.
        _thread.start_new_thread(self._work, ())

    async def run(self, function: Callable[..., Any], args: tuple[object, ...]) -> Any:
        def call() -> Any:
            try:
                return self._context.run(function, *args)
            finally:
                self.busy = False

        work, done = handover(call, _refused)
        self.busy = True
        self._calls.put(work)
        return await done

    def stop(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        threading.current_thread().name = self._name
        while (work := self._calls.get()) is not None:
            work()


def can_be_called(function: Callable[..., Any], count: int) -> bool:
    """Whether the signature allows a call with ``count`` positional arguments and nothing else.

    Yes where Python cannot tell (some built-ins).
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def positional_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters that a call by position fills; none where Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]


def _is_coroutine_function(function: Callable[..., Any]) -> bool:
    if inspect.isclass(function):  # its __call__ is that of its instances
        return False
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object whose __call__ is async
    )


def _refused(error: BaseException) -> Exception:
    if isinstance(error, StopIteration):
        return RuntimeError("the agent's code raised StopIteration")
    return _would_end_the_run(error)


def _would_end_the_run(error: BaseException) -> AgentError:
    return AgentError(f"the agent's code raised {type(error).__name__}: {error}", code="agent_raised")
