"""Recognises errors caused by exhausted resources of this machine: file handles, disk, memory, processes."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Final

_FILES: Final = "too many files are open"
_DISK: Final = "the disk is full"
_MEMORY: Final = "there is no memory left"
_PROCESSES: Final = "no further thread or process can be started"

_ERRNOS: Final = {
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOSPC: _DISK,
    errno.EDQUOT: _DISK,
    errno.ENOMEM: _MEMORY,
    errno.ENOBUFS: _MEMORY,
}


def shortage_of(error: BaseException) -> str | None:
    """A message about the exhausted resource of this machine; ``None`` for other errors.

    The causes of the error are checked too: libraries often report a failed connection, with the reason as its cause.
    """
    if any(isinstance(each, BlockingIOError) for each in (error, error.__cause__)):
        return _PROCESSES  # a fork failed; deeper in the chain it would be only a socket that was not ready
    return next(filter(None, map(_told, _behind(error))), None)


def _told(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return _PROCESSES
    return _ERRNOS.get(error.errno or 0) if isinstance(error, OSError) else None


def _behind(error: BaseException) -> Iterator[BaseException]:
    """The error, its causes, and the parts of exception groups, each once."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        waiting += (found.__cause__, found.__context__)
        if isinstance(found, BaseExceptionGroup):
            waiting += found.exceptions  # pyright: ignore[reportUnknownMemberType]
