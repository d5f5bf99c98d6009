"""Runs third-party blocking code in threads, for agent adapters and local judges."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable

from adjudge.extension.threads import computed, handover

__all__ = ["computed", "handover", "start_thread"]


def start_thread(work: Callable[[], None]) -> None:
    """Run ``work`` in a daemon thread, without waiting until the thread runs, unlike ``threading.Thread.start``.

    Coverage tools and debuggers trace the thread like any other.

    Raises:
        RuntimeError: the machine cannot start another thread.
    """

    def traced() -> None:
        sys.settrace(threading.gettrace())
        sys.setprofile(threading.getprofile())
        work()

    is_seen = threading.gettrace() is not None or threading.getprofile() is not None
    _thread.start_new_thread(traced if is_seen else work, ())
