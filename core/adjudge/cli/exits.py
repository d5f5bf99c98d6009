"""How the command line ends: messages for a person, and the exit status."""

from __future__ import annotations

import atexit
import io
import os
import sys
import threading
from contextlib import suppress
from os import _exit  # an agent may replace os._exit
from time import sleep as _sleep  # an agent may replace time.sleep
from typing import Final, NoReturn

import click

from adjudge.extension.secrets import Secrets
from adjudge.extension.terminal import (
    OutputError,
    flush_output,
    keep_streams,
    put_streams_back,
    reader_is_gone,
    say,
)

USAGE: Final = 2
"""Usage or configuration."""
UNMEASURED: Final = 3
"""Something could not be measured; an error of adjudge itself is that too, and never looks like a FAIL."""
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""Who read our output went away (`adjudge … | head`); it is 128 + SIGPIPE, as shells say it."""

_ENDING: Final = 5.0
"""Seconds that threads, processes and exit handlers of an agent have to end; then nobody waits for them any more."""


def run_cli(command: click.Command) -> NoReturn:
    """Run ``command`` and exit; an ``AdjudgeError`` is its message, never a traceback."""
    try:
        keep_streams()
        status = _flushed(_run(command))
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (
        BaseException
    ) as error:  # of telling what happened; Python would make a status 1 of it, that of a FAIL
        with suppress(OSError):
            os.write(
                2, f"error: adjudge cannot say what happened: {type(error).__name__}: {error}\n".encode()
            )
        status = UNMEASURED
    finally:
        put_streams_back()
    sys.exit(status)


def end_process(status: int) -> NoReturn:
    """End this process, whatever code that it ran has left running: Python would wait for it without a limit.

    Whoever runs this in a program of their own (a profiler, a tool that measures coverage) gets the control back first.
    """
    with suppress(Exception):  # an agent may have left the interpreter unable to start a thread
        threading.Thread(target=_end_anyway, args=(status,), name="adjudge end", daemon=True).start()
    atexit.register(_end_after_the_others, status)
    sys.exit(status)


def _end_after_the_others(status: int) -> NoReturn:
    """Run what else is registered to run at the end, and end.

    Python's own clearing up comes after this. It runs code of the agent once more (``__del__``, what a generator does
    when it is closed), and nothing could stop that.
    """
    atexit.unregister(_end_after_the_others)
    try:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
        flush_output()
    finally:
        _exit(status)


def never_unnoticed() -> None:
    """Let code that ends this process by ``os._exit`` end it with a message, and never with the status of a PASS."""
    ours = os.getpid()

    def exit_told(status: int) -> NoReturn:
        if os.getpid() != ours:  # a process that the agent forked may end as it likes
            _exit(status)
        with suppress(OSError):
            told = f"error: code that adjudge ran ended the process: os._exit({status})\n"
            os.write(2, f"{told}  What is finished is kept; adjudge runs list says how to go on.\n".encode())
        _exit(UNMEASURED)

    os._exit = exit_told


def _end_anyway(status: int) -> None:
    _sleep(_ENDING)
    # Of a pool Python waits for daemon threads too.
    pools = getattr(sys.modules.get("concurrent.futures.thread"), "_threads_queues", ())
    waited_for = [thread for thread in threading.enumerate() if not thread.daemon or thread in pools]
    left = [f"thread {thread.name!r}" for thread in waited_for if thread is not threading.main_thread()]
    if (multiprocessing := sys.modules.get("multiprocessing")) is not None:
        left += [f"process {child.name!r}" for child in multiprocessing.active_children() if not child.daemon]
    what = ", ".join(left) or "what was registered to run at its end"
    with suppress(OSError):
        told = f"warning: the process was ended while code that it had run was still running: {what}\n"
        os.write(2, told.encode(errors="replace"))
    _exit(status)


def _flushed(status: int) -> int:
    try:
        flush_output()
    except BrokenPipeError:
        return BROKEN_PIPE
    except OutputError as error:
        if status != UNMEASURED:  # else it was said already
            say(f"error: {error}", err=True)
        return status or UNMEASURED
    return status


def _run(command: click.Command) -> int:
    """The exit status; what a person should know is on standard error, where that can be written."""
    try:
        status = command.main(standalone_mode=False)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(file=shown)
        return _told(shown.getvalue().rstrip("\n"), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _told("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return BROKEN_PIPE
    except BaseException as error:  # SystemExit too: what somebody's code asks for is no verdict of ours
        if isinstance(error, SystemExit) and reader_is_gone():
            return BROKEN_PIPE  # click makes the status 1 of it, which is that of a FAIL
        from adjudge.errors import AdjudgeError, RunStoppedError

        if isinstance(error, AdjudgeError):
            warnings = [f"warning: {warning}" for warning in getattr(error, "warnings", ())]
            status = UNMEASURED if isinstance(error, RunStoppedError) else USAGE
            return _told("\n".join([*warnings, f"error: {error}"]), status)
        if unwritten := error if isinstance(error, OutputError) else _unwritten(error):
            return _told(f"error: {unwritten}", UNMEASURED)
        import traceback

        fault = "This is a fault in adjudge or in a plugin; please report it with the lines above."
        return _told(f"{traceback.format_exc()}{fault}", UNMEASURED)
    return status if isinstance(status, int) else 0


def _unwritten(error: BaseException) -> OutputError | None:
    """An error of click's own printing, of ``--help`` for instance, as what it is."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    printing = at is not None and at.tb_frame.f_globals.get("__name__") == "click.utils"
    return OutputError(error) if printing and isinstance(error, OSError) else None


def _told(text: str, status: int) -> int:
    say(Secrets().masked(text), err=True)
    return status
