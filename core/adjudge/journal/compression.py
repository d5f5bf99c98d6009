"""Payloads: JSON as it lies in a database, packed where that pays."""

from __future__ import annotations

import zlib
from typing import Final

# Packing a small payload costs more time than it saves space. The first byte tells the two apart, since JSON begins
# with "{" and a zlib stream with 0x78.
_SMALL: Final = 1024


def packed(data: bytes) -> bytes:
    """The payload as it is stored."""
    return data if len(data) < _SMALL else zlib.compress(data, 3)


def unpacked(data: bytes, *, limit: int | None = None) -> bytes:
    """The payload as it was.

    Args:
        data: As it is stored.
        limit: The largest number of bytes that it may have; for files that others made.

    Raises:
        zlib.error: it is damaged, or larger than ``limit``.
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
