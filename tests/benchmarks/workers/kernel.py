"""How often a second a function of two lists of calls can be called."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any


def per_second(run: Callable[[Any, Any], object], turns: Sequence[tuple[Any, Any]], seconds: str) -> float:
    """Calls per second of processor time over about ``seconds``, after one pass as a warm-up."""
    for expected, actual in turns:
        run(expected, actual)
    started = time.process_time()
    until = started + float(seconds)
    for passes in itertools.count(1):
        for expected, actual in turns:
            run(expected, actual)
        now = time.process_time()
        if now >= until:
            return passes * len(turns) / (now - started)
    raise AssertionError("count() ends")
