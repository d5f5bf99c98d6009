"""Standard streams: everything that the command line prints goes through here, and is clean."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import Final, TextIO

import click

# What a terminal may act on, inside a JSON document, where it can be written as an escape.
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


class OutputError(Exception):
    """Standard output cannot be written: its disk is full, for instance."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror}")


class _Kept:
    """The standard streams as they were before anybody's code ran: an agent may replace them, or set them to ``None``."""

    out: TextIO | None = None
    err: TextIO | None = None


def keep_streams() -> None:
    """Print to the standard streams of now, whatever becomes of ``sys.stdout`` and ``sys.stderr``."""
    open_closed_streams()
    _Kept.out, _Kept.err = sys.stdout, sys.stderr


def put_streams_back() -> None:
    """Let Python close the streams that were kept, and not what was put in their place."""
    sys.stdout, sys.stderr = _Kept.out or sys.stdout, _Kept.err or sys.stderr
    # A program may run another command, with other streams.
    _Kept.out = _Kept.err = None


def standard_output() -> TextIO:
    """Where the command line prints."""
    return _Kept.out or sys.stdout


def say(text: str = "", *, err: bool = False, bold: bool = False) -> None:
    """Print a text of several lines, without what a terminal would act on: texts repeat what stands in files.

    Args:
        text: What to print.
        err: Whether it goes to standard error.
        bold: Whether it stands out on a terminal.
    """
    from adjudge.model.printable import clean

    shown = clean(text)
    _echo(click.style(shown, bold=True) if bold else shown, err=err)


def say_json(text: str) -> None:
    """Print a JSON document; what a terminal would act on is written as an escape of JSON, so nothing is lost."""
    _echo(_UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def _echo(text: str, *, err: bool = False) -> None:
    stream = (_Kept.err or sys.stderr) if err else standard_output()
    if stream.closed:  # by an agent or a plugin
        if err:
            return
        flush_output()
        stream = standard_output()
    try:
        # click knows what to do where the encoding of the stream of now has no letter for something.
        is_replaced = stream is not (sys.stderr if err else sys.stdout)
        click.echo(text, file=stream if is_replaced else None, err=err)
    except BrokenPipeError:
        raise
    except OSError as error:
        if err:  # nobody can be told; what happens next is told by the exit status
            return
        raise OutputError(error) from error


def open_closed_streams() -> None:
    """Give standard streams that were closed (``>&-``) a place where nothing is kept.

    Otherwise the next file that is opened, a journal for instance, would be the standard output of everything
    that is run from here.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest descriptor that is free
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def reader_is_gone() -> bool:
    """Whether standard output is a pipe that nobody reads any more."""
    import select

    if not hasattr(select, "poll"):  # Windows
        return False
    poll = select.poll()
    poll.register(1, select.POLLOUT)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))


def flush_output() -> None:
    """Print what is still held back. What cannot be printed is dropped: Python would complain again at its end.

    Raises:
        BrokenPipeError: who read it went away.
        OutputError: it cannot be written.
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
