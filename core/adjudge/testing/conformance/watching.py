"""Detects side effects of a component: printing, blocking its event loop, calling a network."""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Network: TypeAlias = Literal["allowed", "cut off", "forbidden"]
"""How to treat a call to the network. ``cut off``: it fails as without a connection; ``forbidden``: it fails, and is a
violation."""

_SLEEP: Final = time.sleep
_CONNECTING: Final = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}


@dataclass(slots=True)
class _Watch:
    what: str
    network: Network
    never_waits: bool
    thread: int = field(default_factory=threading.get_ident)
    found: list[str] = field(default_factory=list[str])

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle an audit event of Python (PEP 578)."""
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

    def _holds_up(self) -> bool:
        """Whether sleeping is a violation: it blocks the event loop of this thread, or may not happen at all."""
        if threading.get_ident() != self.thread:
            return False
        return self.never_waits or asyncio._get_running_loop() is not None


_watches: Final[list[_Watch]] = []
_hooked: Final = threading.Lock()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _watches and event in _CONNECTING:
        _watches[-1].see(event, arguments)


@contextlib.contextmanager
def watched(what: str, *, network: Network = "allowed", never_waits: bool = False) -> Generator[None]:
    """A context that detects violations by the component code inside.

    Args:
        what: The name of the called function, for messages, for instance ``score``.
        network: How to treat calls to the network.
        never_waits: Whether sleeping is always a violation; otherwise only in the thread of an event loop.

    Raises:
        AssertionError: it printed, blocked, or made a forbidden call to the network.
    """
    if _hooked.acquire(blocking=False):  # once per process: audit hooks cannot be removed
        sys.addaudithook(_hook)
    watch, printed = _Watch(what, network, never_waits), io.StringIO()
    _watches.append(watch)
    try:
        with contextlib.redirect_stdout(printed), _sleeping(watch.sleep):
            yield
    except BaseException as error:
        if watch.found:
            raise AssertionError(watch.found[0]) from error
        raise
    finally:
        _watches.remove(watch)
    if watch.found:
        raise AssertionError(watch.found[0])
    if text := printed.getvalue().strip():
        raise AssertionError(
            f"{what} prints on standard output, where reports and JSON go: {text[:60]!r}; "
            "use the module logging, or give it as a reason"
        )


@contextlib.contextmanager
def _sleeping(sleep: Callable[[float], None]) -> Generator[None]:
    """A context in which ``sleep`` replaces ``time.sleep``, also in modules that imported it by name."""
    before = time.sleep
    names = [getattr(module, "__dict__", {}) for module in list(sys.modules.values())]
    importing = [own for own in names if own.get("sleep") is before]
    for own in importing:
        own["sleep"] = sleep
    try:
        yield
    finally:
        for own in importing:
            own["sleep"] = before
