"""The data of a page in parts: deflated JSON in base64, written while the cases are read."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_FULL: Final = 256 * 1024
"""The size in bytes of JSON at which a part ends, small enough to be decompressed at once when a case is opened."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part as it is written into the page. Base64 contains no HTML special characters."""

    name: str
    data: str


class Parts:
    """Collects documents into parts."""

    def __init__(self) -> None:
        """Start the first part."""
        self._number = 0
        self._count = 0
        self._size = 0
        self._packed = Packed()

    @property
    def next_key(self) -> str:
        """The key of the next document."""
        return f"{self._number}.{self._count}"

    def add(self, document: object) -> Iterator[Part]:
        """Add a document, and yield the part if that completes it."""
        text = encoded(document)
        self._packed.write((b"," if self._count else b"[") + text)
        self._count += 1
        self._size += len(text)
        if self._size >= _FULL:
            yield from self.rest()

    def rest(self) -> Iterator[Part]:
        """Yield the last part, unless it is empty."""
        if not self._count:
            return
        self._packed.write(b"]")
        yield Part(str(self._number), self._packed.text())
        self._number, self._count, self._size, self._packed = self._number + 1, 0, 0, Packed()


class Packed:
    """JSON that is compressed while it is written; memory holds about a tenth of its size."""

    def __init__(self) -> None:
        """Start with empty data."""
        self._deflate = zlib.compressobj(6)
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._pieces.append(self._deflate.compress(data))

    def text(self) -> str:
        """The whole data in base64."""
        return base64.b64encode(b"".join([*self._pieces, self._deflate.flush()])).decode("ascii")


def encoded(document: Any) -> bytes:
    """Encode a document as JSON. NaN and infinity become ``null``."""
    from pydantic_core import to_json

    return to_json(document, inf_nan_mode="null")
