"""Compression of JSON payloads in a database."""

from __future__ import annotations

import zlib
from typing import Final

# Small payloads are not compressed: the gain in space is not worth the time. The first byte distinguishes the two:
# JSON begins with "{", a zlib stream with 0x78.
_SMALL: Final = 1024


def packed(data: bytes) -> bytes:
    """Compress a payload if it is large."""
    return data if len(data) < _SMALL else zlib.compress(data, 3)


def unpacked(data: bytes, *, limit: int | None = None) -> bytes:
    """Restore a payload made by ``packed``.

    Args:
        data: The stored bytes.
        limit: The maximum size of the payload in bytes, for untrusted files.

    Raises:
        zlib.error: the data is damaged, or the payload is larger than ``limit``.
    """
    if data[:1] != b"x":
        return data
    if limit is None:
        return zlib.decompress(data)
    unpacking = zlib.decompressobj()
    whole = unpacking.decompress(data, limit)
    if not unpacking.eof:
        raise zlib.error(f"a value of more than {limit:,} bytes, or one that is cut off")
    return whole
