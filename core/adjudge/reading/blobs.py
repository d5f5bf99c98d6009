"""Screenshots and other large binary data: said to have been there, never held in memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from adjudge.model.items import Blob
from adjudge.reading.losses import Losses

_LONG: Final = 4096
"""Characters. Shorter texts stay as they are, whatever they are."""

_DATA_URI: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_=\r\n-]+")

# The first bytes of each format, in base64.
_BEGINNINGS: Final = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
}


def blob_of(data: str, *, mime_type: str | None = None) -> Blob:
    """What is known of binary data without its bytes: the type, and how many characters of base64 it had.

    Args:
        data: A data URI or base64.
        mime_type: The type where the log names it; else the data URI or the first bytes tell it.
    """
    found = _DATA_URI.match(data)
    if mime_type is None and found is not None:
        mime_type = found[1]
    start = data[found.end() if found else 0 :][:16]
    if mime_type is None:
        mime_type = next((mime for begin, mime in _BEGINNINGS.items() if start.startswith(begin)), None)
    return Blob(mime_type=mime_type, extra={"base64_characters": len(data) - (found.end() if found else 0)})


def without_blobs(value: Any, losses: Losses) -> Any:
    """A JSON value with a note in place of every long text that is base64; each is counted as a loss."""
    if isinstance(value, str):
        if len(value) < _LONG or not _is_base64(value):
            return value
        blob = blob_of(value)
        named = blob.mime_type or "binary data"
        losses.add(f"{named} in base64")
        return f"[{named}, {(blob.extra or {})['base64_characters']} characters of base64, left out]"
    if isinstance(value, list):
        return [without_blobs(element, losses) for element in cast("Sequence[object]", value)]
    if isinstance(value, dict):
        return {key: without_blobs(element, losses) for key, element in cast("dict[str, Any]", value).items()}
    return value


def _is_base64(text: str) -> bool:
    return _DATA_URI.match(text) is not None or _BASE64.fullmatch(text, 0, _LONG) is not None
