"""Other people's blocking code in threads: what agent adapters and local judges share."""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable

from adjudge.extension.threads import computed, handover

__all__ = ["computed", "handover", "start_thread"]


def start_thread(work: Callable[[], None]) -> None:
    """Run ``work`` in a daemon thread. It does not wait until the thread runs, as ``threading.Thread.start`` does.

    A tool that measures coverage, or a debugger, sees the thread like any other.

    Raises:
        RuntimeError: the machine has no further thread.
    """

    def traced() -> None:
        sys.settrace(threading.gettrace())
        sys.setprofile(threading.getprofile())
        work()

    is_seen = threading.gettrace() is not None or threading.getprofile() is not None
    _thread.start_new_thread(traced if is_seen else work, ())
