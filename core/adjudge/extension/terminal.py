"""Standard streams: all output of the command line is made safe for terminals here."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import Final, TextIO

import click

# Characters in a JSON document that a terminal may interpret; they can be written as JSON escapes.
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


class OutputError(Exception):
    """Standard output cannot be written, for instance because the disk is full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror}")


class _Kept:
    """The standard streams before third-party code runs: an agent may replace them, or set them to ``None``."""

    out: TextIO | None = None
    err: TextIO | None = None


def keep_streams() -> None:
    """Print to the current standard streams, even if ``sys.stdout`` and ``sys.stderr`` are replaced later."""
    open_closed_streams()
    _Kept.out, _Kept.err = sys.stdout, sys.stderr


def put_streams_back() -> None:
    """Restore ``sys.stdout`` and ``sys.stderr``, so that Python flushes and closes the original streams at its end."""
    sys.stdout, sys.stderr = _Kept.out or sys.stdout, _Kept.err or sys.stderr
    # A program may run another command later, with other streams.
    _Kept.out = _Kept.err = None


def standard_output() -> TextIO:
    """The stream to which the command line prints."""
    return _Kept.out or sys.stdout


def say(text: str = "", *, err: bool = False, bold: bool = False) -> None:
    """Print a text of several lines. Terminal escapes are removed, because texts may come from untrusted files.

    Args:
        text: The text.
        err: Whether to print to standard error.
        bold: Whether to print in bold on a terminal.
    """
    from adjudge.model.printable import clean

    shown = clean(text)
    _echo(click.style(shown, bold=True) if bold else shown, err=err)


def say_json(text: str) -> None:
    """Print a JSON document. Characters that a terminal may interpret are written as JSON escapes, without loss."""
    _echo(_UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def _echo(text: str, *, err: bool = False) -> None:
    stream = (_Kept.err or sys.stderr) if err else standard_output()
    if stream.closed:  # by an agent or a plugin
        if err:
            return
        flush_output()
        stream = standard_output()
    try:
        # For the original stream let click choose it: click handles characters that the encoding does not have.
        is_replaced = stream is not (sys.stderr if err else sys.stdout)
        click.echo(text, file=stream if is_replaced else None, err=err)
    except BrokenPipeError:
        raise
    except OSError as error:
        if err:  # no error message can be printed, so only the exit status reports the failure
            return
        raise OutputError(error) from error


def open_closed_streams() -> None:
    """Open the null device for closed standard streams (``>&-``).

    Otherwise the next file that is opened, for instance a journal, would get the descriptor of standard output, and
    child processes would print into it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def reader_is_gone() -> bool:
    """Whether standard output is a pipe without a reader."""
    import select

    if not hasattr(select, "poll"):  # Windows
        return False
    poll = select.poll()
    poll.register(1, select.POLLOUT)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))


def flush_output() -> None:
    """Flush the standard streams. Output that cannot be written is dropped: Python would report it again at its end.

    Raises:
        BrokenPipeError: the reader of the pipe is gone.
        OutputError: standard output cannot be written.
    """
    stream = standard_output()
    if stream.closed:
        open_closed_streams()
        _Kept.out = sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        raise OutputError(OSError(errno.EBADF, "something that was run has closed it"))
    try:
        stream.flush()
    except OSError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(error) from error
