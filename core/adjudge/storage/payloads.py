"""Payloads: JSON as it lies in a database, packed where that pays."""

from __future__ import annotations

import zlib
from typing import Final

# A payload of a few dozen bytes grows under zlib; its first byte tells the two apart, since JSON
# begins with "{" and a zlib stream with 0x78.
_SMALL: Final = 120


def packed(data: bytes) -> bytes:
    """The payload as it is stored."""
    return data if len(data) < _SMALL else zlib.compress(data, 3)


def unpacked(data: bytes) -> bytes:
    """The payload as it was."""
    return zlib.decompress(data) if data[:1] == b"x" else data
