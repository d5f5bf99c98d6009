"""Bodies of responses: reads them up to a limit, and quotes them in messages without secrets."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import httpx

_READ: Final = 4000
_SHOWN: Final = 300
_BACKSLASHES: Final = 8
"""The maximum number of backslashes before an escape, enough for JSON nested three times in JSON strings. Without a
limit, a text of only backslashes would take quadratic time."""


async def body_within(response: httpx.Response, largest: int) -> bytes | None:
    """Read the body of a streamed response and close it; ``None`` if it is longer than ``largest`` bytes."""
    try:
        pieces: list[bytes] = []
        length = 0
        async for piece in response.aiter_bytes():
            length += len(piece)
            if length > largest:
                return None
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        await response.aclose()


def excerpt(content: bytes, secrets: Iterable[str]) -> str:
    """The beginning of a body on one line, for messages, without secrets: some servers repeat a rejected key."""
    text = redacted(" ".join(content[:_READ].decode(errors="replace").split()), secrets)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def redacted(text: str, secrets: Iterable[str]) -> str:
    """Replace secrets in a text by ``***``, also if the text is JSON with escaped characters."""
    for secret in secrets:
        text = text.replace(secret, "***")
        if "\\" in text:
            text = _escapable(secret).sub("***", text)
    return text


@functools.lru_cache(maxsize=64)
def _escapable(secret: str) -> re.Pattern[str]:
    """A pattern of a secret in which any characters may be JSON escapes; JSON inside JSON doubles the backslashes."""

    def either_way(letter: str) -> str:
        units = letter.encode("utf-16-be").hex(" ", 2).split()
        escaped = "".join(rf"\\{{1,{_BACKSLASHES}}}u(?i:{unit})" for unit in units)
        return rf"(?:\\{{0,{_BACKSLASHES}}}{re.escape(letter)}|{escaped})"

    return re.compile("".join(map(either_way, secret)))
