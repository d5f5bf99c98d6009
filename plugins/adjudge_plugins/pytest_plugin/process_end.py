"""Handles an agent that ends the pytest process: reports it, and exits with a failure."""

from __future__ import annotations

import os
from contextlib import suppress
from os import _exit
from typing import Any, Final, NoReturn

import pytest

_STATUS: Final = int(pytest.ExitCode.INTERNAL_ERROR)


def never_unnoticed(config: pytest.Config) -> None:
    """Let ``os._exit`` say what happened and end pytest with an error, for as long as pytest runs."""
    ours = os.getpid()

    def exit_told(status: int) -> NoReturn:
        if os.getpid() != ours:  # a process that the agent forked may end as it likes
            _exit(status)
        with suppress(Exception):
            capture: Any = config.pluginmanager.get_plugin("capturemanager")
            if capture is not None:
                capture.suspend_global_capture(in_=True)
            told = f"\nerror: an agent ended the process of pytest: os._exit({status}). --adjudge-isolate keeps it apart.\n"
            os.write(2, told.encode())
        _exit(_STATUS)

    os._exit = exit_told


def as_before() -> None:
    """Let ``os._exit`` be what it was."""
    os._exit = _exit
