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
    """Open a JSON log, plain or compressed with gzip, for the duration of the ``with`` block.

    Small violations of strict JSON are repaired, and listed in ``lost`` of the trajectory that contains them.

    Raises:
        InputError: the file cannot be opened, or the part that is read is invalid.
    """
    name = source.path.name
    try:
        with open_log(source) as file:
            yield MendingJsonStream(file, name, source.mended)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(Problem(what=f"cannot be read: {error}", file=name)) from error
