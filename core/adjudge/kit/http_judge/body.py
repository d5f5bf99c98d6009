"""Bodies of answers: read within a bound, and repeated in messages without secrets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import httpx

_READ: Final = 4000
_SHOWN: Final = 300


async def body_within(response: httpx.Response, largest: int) -> bytes | None:
    """The body of a response that is being streamed, and closed here; ``None`` where it is longer than ``largest`` bytes."""
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
    """The beginning of a body on one line, as a message repeats it; some servers repeat a key that they refuse."""
    text = redacted(" ".join(content[:_READ].decode(errors="replace").split()), secrets)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
