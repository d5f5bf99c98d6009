"""Yields the records of a log file: one value per line, the elements of a list, or one value."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from adjudge.kit import logs
from adjudge.plugin import InputError


def records_of(stream: logs.MendingJsonStream, file: str) -> Iterator[tuple[Any, logs.Place]]:
    """Yield every value of the file with its place. A last line that is cut off is left out, and noted as a repair.

    Raises:
        InputError: the file is malformed.
    """
    while stream.has_record():
        place = logs.Place(file, line=stream.line)
        yield stream.value(), place


def values_of(stream: logs.MendingJsonStream, file: str) -> Iterator[tuple[Any, logs.Place]]:
    """Yield every value of the file, or of the lists in it, with its place, one at a time.

    A last line that is cut off is left out, and noted as a repair.

    Raises:
        InputError: the file is malformed.
    """
    while stream.has_record():
        place = logs.Place(file, line=stream.line)
        if stream.peek() == "[":
            for index in stream.elements():
                yield stream.value(), place.at(index)
        else:
            yield stream.value(), place


def first_records(head: bytes) -> Iterator[Any]:
    """The complete values in the head of a file; none if they are not JSON."""
    stream = logs.MendingJsonStream(io.BytesIO(head), "head", Counter())
    try:
        while stream.peek():
            yield stream.value()
    except InputError:
        return
