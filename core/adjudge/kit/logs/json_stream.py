"""A log file as a stream of JSON."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import contextmanager

from adjudge.kit.logs.mending import MendingJsonStream
from adjudge.kit.logs.unpacking import open_log
from adjudge.plugin import InputError, Problem, Source


@contextmanager
def opened(source: Source) -> Generator[MendingJsonStream, None, None]:
    """The JSON of a log, plain or gzip, open as long as the block runs.

    One odd value does not refuse a log: what is mended is in ``lost`` of the trajectory that it was read for.

    Raises:
        InputError: the file cannot be opened, or what is read of it in the block is broken.
    """
    name = source.path.name
    try:
        with open_log(source) as file:
            yield MendingJsonStream(file, name, source.mended)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(Problem(what=f"cannot be read: {error}", file=name)) from error
