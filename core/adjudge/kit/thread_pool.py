"""Threads for short calls of somebody's blocking code: as many as block at a time, and not one for each call."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from adjudge.kit.threads import start_thread

__all__ = ["ThreadPool"]

_PATIENCE: Final = 0.005
"""Seconds that calls wait for one that was begun before they get threads of their own."""
_IDLE: Final = 0.05
"""Seconds that a thread waits for a further call before it ends. Starting one takes longer than a short call."""


class ThreadPool:
    """Runs blocking calls in daemon threads that end soon after nothing is left to do.

    One thread takes call after call. Where one of them takes long, the others get threads of their own, so that
    nothing waits for code that blocks. Every call finds ``threading.local`` empty, as in a thread of its own: a
    thread in which a call has left something takes no further one.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._waiting: deque[tuple[str, Callable[[], None], asyncio.Future[Any]]] = deque()
        self._threads = 0
        """Those that take calls, or will once their call returns or the bell rings."""
        self._idle = 0
        """Those of them that wait for the bell."""
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._taken = 0
        self._served_by: asyncio.AbstractEventLoop | None = None
        self._watched_by: asyncio.AbstractEventLoop | None = None

    def submit(self, name: str, work: Callable[[], None], done: asyncio.Future[Any]) -> None:
        """Run what ``adjudge.kit.threads.handover`` gives, in a thread called ``name``; called by an event loop.

        ``done`` raises where no thread can be started. Where it is cancelled before its turn, nothing runs.
        """
        loop = asyncio.get_running_loop()
        self._waiting.append((name, work, done))
        if self._served_by is not loop:  # one thread for all calls of this turn of the loop
            self._served_by = loop
            loop.call_soon(self._serve, loop)

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        self._served_by = None
        with self._lock:
            is_served = self._threads > 0
            if self._idle:
                self._idle -= 1
                self._bell.put(None)
        if not is_served:
            self._start(1)
        if self._watched_by is not loop:
            self._watched_by = loop
            loop.call_later(_PATIENCE, self._watch, loop, self._taken)

    def _watch(self, loop: asyncio.AbstractEventLoop, taken: int) -> None:
        """Give threads to those that wait, where none was taken since."""
        if not self._waiting:
            self._watched_by = None
            return
        if taken == self._taken:
            self._start(len(self._waiting))
        loop.call_later(_PATIENCE, self._watch, loop, self._taken)

    def _start(self, count: int) -> None:
        try:
            for _ in range(count):
                self._start_one()
        except RuntimeError as error:  # the limit of this machine
            while not self._threads and self._waiting:
                *_, done = self._waiting.popleft()
                if not done.done():
                    done.set_exception(error)

    def _start_one(self) -> None:
        with self._lock:
            self._threads += 1
        try:
            # Thread.start() would hold up the loop until the thread runs.
            start_thread(self._work)
        except RuntimeError:
            with self._lock:
                self._threads -= 1
            raise

    def _work(self) -> None:
        thread = threading.current_thread()
        repr([thread])  # the interpreter's own note of that is no trace of a call
        storage = _storage()
        before = len(storage or ())
        while (call := self._next()) is not None:
            thread.name, work, done = call
            if not done.cancelled():
                work()
            if storage is None or len(storage) != before:
                self._retire()
                return

    def _next(self) -> tuple[str, Callable[[], None], asyncio.Future[Any]] | None:
        while True:
            with self._lock:
                if self._waiting:
                    self._taken += 1
                    return self._waiting.popleft()
                self._idle += 1
            if not self._is_called():
                return None

    def _is_called(self) -> bool:
        """Wait for the bell; whether it rang in time."""
        try:
            self._bell.get(timeout=_IDLE)
        except queue.Empty:
            with self._lock:
                if self._bell.empty():
                    self._idle -= 1
                    self._threads -= 1
                    return False
            self._bell.get()
        return True

    def _retire(self) -> None:
        with self._lock:
            self._threads -= 1
        if self._waiting:
            with contextlib.suppress(RuntimeError):  # those that wait are seen to by _watch
                self._start_one()


def _storage() -> dict[str, Any] | None:
    """What ``threading.local`` keeps of the current thread; ``None`` where this Python does not show it."""
    try:
        import ctypes

        get = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_GetDict", ctypes.pythonapi))
        storage: dict[str, Any] = ctypes.cast(get(), ctypes.py_object).value
    except (ImportError, AttributeError, ValueError):
        return None
    return storage
