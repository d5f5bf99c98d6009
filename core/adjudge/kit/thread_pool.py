"""A thread pool for short calls of third-party blocking code, with as many threads as calls that block."""

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
"""Seconds that waiting calls wait for a running one before they get other threads."""
_IDLE: Final = 0.05
"""Seconds that a thread waits for another call before it ends. Starting a thread takes longer than a short call."""


class ThreadPool:
    """Runs blocking calls in daemon threads, which end shortly after the last call.

    One thread runs calls in sequence. If a call takes long, the waiting calls get other threads, so that they do not
    wait for blocking code. Every call finds ``threading.local`` empty, as in a new thread: a thread in which a call
    has left data runs no further calls.
    """

    def __init__(self) -> None:
        """Create a pool without threads."""
        self._lock = threading.Lock()
        self._waiting: deque[tuple[str, Callable[[], None], asyncio.Future[Any]]] = deque()
        self._threads = 0
        """The number of threads that run calls, or will after their current call or the next wake-up."""
        self._idle = 0
        """The number of those threads that wait for a wake-up."""
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._taken = 0
        self._served_by: asyncio.AbstractEventLoop | None = None
        self._watched_by: asyncio.AbstractEventLoop | None = None

    def submit(self, name: str, work: Callable[[], None], done: asyncio.Future[Any]) -> None:
        """Run the function returned by ``adjudge.kit.threads.handover`` in a thread named ``name``.

        It must be called on an event loop. If no thread can be started, ``done`` gets the exception. If ``done`` is
        cancelled before the call begins, the call does not run.
        """
        loop = asyncio.get_running_loop()
        self._waiting.append((name, work, done))
        if self._served_by is not loop:  # one thread for all calls of this iteration of the loop
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
        """Start threads for the waiting calls if no call has begun since the last check."""
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
        except RuntimeError as error:  # the machine's limit of threads is reached
            while not self._threads and self._waiting:
                *_, done = self._waiting.popleft()
                if not done.done():
                    done.set_exception(error)

    def _start_one(self) -> None:
        with self._lock:
            self._threads += 1
        try:
            # Not Thread.start(), which blocks the loop until the thread runs.
            start_thread(self._work)
        except RuntimeError:
            with self._lock:
                self._threads -= 1
            raise

    def _work(self) -> None:
        thread = threading.current_thread()
        # Create the interpreter's own thread-local data now, so that it does not count as left by a call.
        repr([thread])
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
        """Wait for a wake-up; return whether there was one within the idle time."""
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
            with contextlib.suppress(RuntimeError):  # _watch will serve the waiting calls
                self._start_one()


def _storage() -> dict[str, Any] | None:
    """The data of ``threading.local`` of the current thread; ``None`` if this Python does not expose it."""
    try:
        import ctypes

        get = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_GetDict", ctypes.pythonapi))
        storage: dict[str, Any] = ctypes.cast(get(), ctypes.py_object).value
    except (ImportError, AttributeError, ValueError):
        return None
    return storage
