"""Error messages and exit statuses of the command line."""

from __future__ import annotations

import atexit
import io
import os
import sys
import threading
from contextlib import suppress
from os import _exit  # imported now, because an agent may replace os._exit
from time import sleep as _sleep  # imported now, because an agent may replace time.sleep
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
"""Exit status for wrong usage or configuration."""
UNMEASURED: Final = 3
"""Exit status if something could not be measured, also because of an error of adjudge itself."""
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""Exit status if the reader of the output is gone (`adjudge … | head`): 128 + SIGPIPE, as in shells."""
_ENDING: Final = 5.0
"""Seconds that threads, processes and exit handlers of an agent have to end; after that they are not waited for."""


def run_cli(command: click.Command) -> NoReturn:
    """Run ``command`` and exit. For an ``AdjudgeError`` only the message is printed, without a traceback."""
    try:
        keep_streams()
        status = _flushed(_run(command))
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BaseException as error:  # raised while reporting; Python would exit with 1, the status of a FAIL
        with suppress(OSError):
            os.write(
                2, f"error: adjudge cannot say what happened: {type(error).__name__}: {error}\n".encode()
            )
        status = UNMEASURED
    finally:
        put_streams_back()
    raise SystemExit(status)  # not sys.exit, which an agent may replace


def end_process(status: int) -> NoReturn:
    """End this process, even if an agent has left threads running: Python would wait for them without a limit.

    A program that runs the command line inside (a profiler, a coverage tool) first gets the control back.
    """
    with suppress(Exception):  # because of an agent the interpreter may be unable to start a thread
        threading.Thread(target=_end_anyway, args=(status,), name="adjudge end", daemon=True).start()
    atexit.register(_end_after_the_others, status)
    raise SystemExit(status)  # not sys.exit, which an agent may replace


def _end_after_the_others(status: int) -> NoReturn:
    """Run all other exit handlers, and end the process before Python's own finalisation.

    The finalisation would run code of the agent again (``__del__``, closed generators), which nothing could stop.
    """
    atexit.unregister(_end_after_the_others)
    try:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
        flush_output()
    finally:
        _exit(status)


def never_unnoticed() -> None:
    """If code ends this process with ``os._exit``, print a message, and never exit with the status of a PASS."""
    ours = os.getpid()

    def exit_told(status: int) -> NoReturn:
        if os.getpid() != ours:  # processes forked by the agent may end in any way
            _exit(status)
        with suppress(OSError):
            told = f"error: code that adjudge ran ended the process: os._exit({status})\n"
            os.write(
                2,
                f"{told}  Finished results are safe: `adjudge runs list` shows the run, `adjudge resume NAME` continues it.\n".encode(),
            )
        _exit(UNMEASURED)

    os._exit = exit_told


def _end_anyway(status: int) -> None:
    _sleep(_ENDING)
    # Python also waits for threads of thread pools, although they are daemon threads.
    pools = getattr(sys.modules.get("concurrent.futures.thread"), "_threads_queues", ())
    waited_for = [thread for thread in threading.enumerate() if not thread.daemon or thread in pools]
    left = [f"thread {thread.name!r}" for thread in waited_for if thread is not threading.main_thread()]
    if (multiprocessing := sys.modules.get("multiprocessing")) is not None:
        left += [f"process {child.name!r}" for child in multiprocessing.active_children() if not child.daemon]
    what = ", ".join(left) or "what was registered to run at its end"
    with suppress(OSError):
        told = f"warning: adjudge ended the process while code of the agent or of a plugin was still running: {what}\n"
        os.write(2, told.encode(errors="replace"))
    _exit(status)


def _flushed(status: int) -> int:
    try:
        flush_output()
    except BrokenPipeError:
        return BROKEN_PIPE
    except OutputError as error:
        if status != UNMEASURED:  # otherwise it was already reported
            say(f"error: {error}", err=True)
        return status or UNMEASURED
    return status


def _run(command: click.Command) -> int:
    """Run the command and return the exit status; messages are printed on standard error if it can be written."""
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
    except BaseException as error:  # also SystemExit: third-party code must not choose the exit status
        if isinstance(error, SystemExit) and reader_is_gone():
            return BROKEN_PIPE  # click would exit with 1, the status of a FAIL
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
    """Convert an error of click's own printing, for instance of ``--help``, to an ``OutputError``."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    printing = at is not None and at.tb_frame.f_globals.get("__name__") == "click.utils"
    return OutputError(error) if printing and isinstance(error, OSError) else None


def _told(text: str, status: int) -> int:
    say(Secrets().masked(text), err=True)
    return status
