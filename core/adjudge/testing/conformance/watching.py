"""Detects side effects of a component: printing, blocking its event loop, calling a network."""

from __future__ import annotations

import asyncio
import contextlib
import io
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, cast

Network: TypeAlias = Literal["allowed", "cut off", "forbidden"]
"""How to treat a call to the network. ``cut off``: it fails as without a connection; ``forbidden``: it fails, and is a
violation."""

_SLEEP: Final = time.sleep
_CONNECTING: Final = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
_PROGRAM: Final = "os.system"


@dataclass(slots=True)
class _Watch:
    what: str
    network: Network
    never_waits: bool
    thread: int = field(default_factory=threading.get_ident)
    found: list[str] = field(default_factory=list[str])
    calls: int = 0

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle an audit event of Python (PEP 578)."""
        if event == _PROGRAM:
            self.wait_for_a_program()
            return
        self.calls += 1
        if self.network == "forbidden":
            self.found.append(f"{self.what} calls the network ({event}); do that when a run asks")
        elif self._holds_up() and not (event == "socket.connect" and arguments[0].gettimeout() == 0):
            self.found.append(
                f"{self.what} waits for the network ({event}), and everything else waits; "
                "use an asynchronous client, or a thread"
            )
        if self.network != "allowed":
            raise ConnectionRefusedError("adjudge.testing: there is no network in this test")

    def sleep(self, seconds: float) -> None:
        """Replacement of ``time.sleep``, which reports blocking calls."""
        if seconds > 0 and self._holds_up():
            self.found.append(
                f"{self.what} calls time.sleep, and everything else waits; use `await asyncio.sleep(...)`"
            )
            raise AssertionError(self.found[-1])
        _SLEEP(seconds)

    def wait_for_a_program(self) -> None:
        """Report that the component blocks until a program ends."""
        if self._holds_up():
            self.found.append(
                f"{self.what} waits for a program, and everything else waits; use `asyncio.create_subprocess_exec`, "
                "or a thread"
            )

    def fail(self, raised: threading.ExceptHookArgs) -> None:
        """Replacement of ``threading.excepthook``, which reports exceptions of threads."""
        self.found.append(
            f"a thread of {self.what} raised {raised.exc_type.__name__}: {raised.exc_value}; catch it there: "
            "nothing else does, and users see a traceback"
        )

    def _holds_up(self) -> bool:
        """Whether sleeping is a violation: it blocks the event loop of this thread, or may not happen at all."""
        if threading.get_ident() != self.thread:
            return False
        return self.never_waits or asyncio._get_running_loop() is not None


_watches: Final[list[_Watch]] = []
_hooked: Final = threading.Lock()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _watches and (event in _CONNECTING or event == _PROGRAM):
        _watches[-1].see(event, arguments)


@contextlib.contextmanager
def watched(
    what: str, *, network: Network = "allowed", never_waits: bool = False, most_calls: int | None = None
) -> Generator[None]:
    """A context that detects violations by the component code inside.

    Args:
        what: The name of the called function, for messages, for instance ``score``.
        network: How to treat calls to the network.
        never_waits: Whether waiting is always a violation; otherwise only in the thread of an event loop.
        most_calls: The maximum number of calls to the network; ``None``: any number.

    Raises:
        AssertionError: it printed, blocked, made a forbidden call to the network, or an exception ended one of its
            threads.
    """
    if _hooked.acquire(blocking=False):  # once per process: audit hooks cannot be removed
        sys.addaudithook(_hook)
    watch, printed = _Watch(what, network, never_waits), io.StringIO()
    _watches.append(watch)
    try:
        with contextlib.redirect_stdout(printed), _blocking(watch), _threads(watch):
            yield
    except BaseException as error:
        if watch.found:
            raise AssertionError(watch.found[0]) from error
        if most_calls is None or watch.calls <= most_calls:
            raise
    finally:
        _watches.remove(watch)
    if watch.found:
        raise AssertionError(watch.found[0])
    assert most_calls is None or watch.calls <= most_calls, (
        f"{what} calls the network {watch.calls} times where there is none; call it once: adjudge itself tries again"
    )
    if text := printed.getvalue().strip():
        raise AssertionError(
            f"{what} prints on standard output, where reports and JSON go: {text[:60]!r}; "
            "use the module logging, or give it as a reason"
        )


@contextlib.contextmanager
def _threads(watch: _Watch) -> Generator[None]:
    """A context in which exceptions of threads are reported."""
    before = threading.excepthook
    threading.excepthook = watch.fail
    try:
        yield
    finally:
        threading.excepthook = before


@contextlib.contextmanager
def _blocking(watch: _Watch) -> Generator[None]:
    """A context in which functions that block report it; ``time.sleep`` also where it has another name."""
    before, sleep = time.sleep, watch.sleep
    names = _names_of(before)
    for own, name in names:
        own[name] = sleep
    communicate = cast("Callable[..., Any]", subprocess.Popen.communicate)  # pyright: ignore[reportUnknownMemberType]

    # Not `wait`: it is short for a program that was killed.
    def reporting(program: Any, *arguments: Any, **more: Any) -> Any:
        watch.wait_for_a_program()
        return communicate(program, *arguments, **more)

    subprocess.Popen.communicate = reporting  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        subprocess.Popen.communicate = communicate  # type: ignore[method-assign]
        for own, name in names:
            own[name] = before


_looked_up: Final[dict[tuple[int, object], list[tuple[dict[str, Any], str]]]] = {}


def _names_of(function: object) -> list[tuple[dict[str, Any], str]]:
    """The modules that have a function, with the name that it has there."""
    key = len(sys.modules), function
    if key not in _looked_up:  # looking through all modules takes milliseconds
        _looked_up.clear()
        own = [getattr(module, "__dict__", {}) for module in list(sys.modules.values())]
        _looked_up[key] = [
            (names, name)
            for names in own
            for name, value in list(names.items())
            if value is function and names is not globals()
        ]
    return _looked_up[key]
