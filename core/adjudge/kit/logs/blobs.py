"""Screenshots and other large binary data: said to have been there, never held in memory.

Only what came back to the agent, and what a format keeps beside it, is made lighter. What an agent or a user
said, and the arguments of a call, stay as the log has them: criteria compare, match and validate them.
"""

from __future__ import annotations

import base64
import hashlib
import operator
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from adjudge.kit.logs.loss_report import Losses
from adjudge.model.items import Blob, Claim, ErrorItem, Item, Observation, Opaque, Text, ToolCall, ToolResult
from adjudge.model.step import Step

_LONG: Final = 4096
"""Characters. Shorter texts stay as they are, whatever they are."""

_DATA_URI: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,")

# The first bytes of each format, in base64.
_BEGINNINGS: Final = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
}

_URL_SAFE: Final = str.maketrans("-_", "+/")
_UNKNOWN: Final = "binary data"
_SAID: Final = (Text, Claim, ToolCall, ErrorItem)
"""Items whose own content stays as it is."""


def blob_of(data: str, *, mime_type: str | None = None) -> Blob:
    """What is known of binary data without its bytes: the type, a digest, and how many characters of base64 it had.

    ``extra`` has ``base64_characters``, and ``sha256`` of the bytes. Data that is not base64 stays whole.

    Args:
        data: A data URI or base64.
        mime_type: The type where the log names it; else the data URI or the first bytes tell it.
    """
    found = _DATA_URI.match(data)
    start = found.end() if found else 0
    if mime_type is None:
        mime_type = (found[1] if found else None) or _type_of(data[start:])
    content = _decoded(data[start:])
    if content is None:
        return Blob(mime_type=mime_type, data=data)
    digest = hashlib.sha256(content).hexdigest()
    return Blob(mime_type=mime_type, extra={"base64_characters": len(data) - start, "sha256": digest})


def without_blobs(value: Any, losses: Losses) -> Any:
    """A JSON value with a note in place of every long text that is a blob; each is counted as a loss.

    A text is a blob where all of it is base64, and a data URI or the first bytes of a known format say what it
    is. Equal notes stand for equal bytes.
    """
    return _with_notes(value, losses) if _has_long_text(value) else value


def items_without_blobs(items: Iterable[Item], losses: Losses) -> tuple[Item, ...]:
    """The items of a step or a message; what came back, and what is kept beside the words, without binary data."""
    return tuple([_without_blobs(item, losses) for item in items])


def step_without_blobs(step: Step, losses: Losses) -> Step:
    """A step; what came back, and what is kept beside the words, without binary data."""
    items = items_without_blobs(step.items, losses)
    extra = without_blobs(step.extra, losses)
    if extra is step.extra and all(map(operator.is_, items, step.items)):
        return step
    return step.model_copy(update={"items": items, "extra": extra})


def _without_blobs(item: Item, losses: Losses) -> Item:
    if item.extra is None and isinstance(item, _SAID):
        return item
    changed: dict[str, Any] = {}
    match item:
        case Blob():
            item = _light(item, losses)
        case ToolResult() | Opaque():
            if _has_long_text(item.value):
                changed["value"] = _with_notes(item.value, losses)
        case Observation():
            if _has_long_text(item.text):
                changed["text"] = _with_notes(item.text, losses)
        case Text() | Claim() | ToolCall() | ErrorItem():
            pass
    if item.extra is not None and _has_long_text(item.extra):
        changed["extra"] = _with_notes(item.extra, losses)
    return item.model_copy(update=changed) if changed else item


def _has_long_text(value: Any) -> bool:
    """Whether there is a text in it that is long enough to be a blob: most values have none."""
    if isinstance(value, str):
        return len(value) >= _LONG
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value).values()
    elif not isinstance(value, list):
        return False
    for element in cast("Iterable[object]", value):  # noqa: SIM110 - any() with a generator is twice as slow
        if _has_long_text(element):
            return True
    return False


def _with_notes(value: Any, losses: Losses) -> Any:
    if isinstance(value, str):
        blob = _proven(value)
        if blob is None:
            return value
        named, known = blob.mime_type or _UNKNOWN, blob.extra or {}
        losses.add(f"{named} in base64")
        return f"[{named}, {known['base64_characters']} characters of base64, sha256 {known['sha256'][:16]}, left out]"
    if isinstance(value, list):
        return [_with_notes(element, losses) for element in cast("Sequence[object]", value)]
    if isinstance(value, dict):
        return {key: _with_notes(element, losses) for key, element in cast("dict[str, Any]", value).items()}
    return value


def _light(item: Blob, losses: Losses) -> Blob:
    is_written_out = item.uri is not None and item.uri.startswith("data:")
    data = item.data if item.data is not None else item.uri if is_written_out else None
    if data is None:
        return item
    light = blob_of(data, mime_type=item.mime_type)
    if light.data is not None:
        return item
    losses.add(f"the content of a blob ({light.mime_type or 'of no known type'})")
    return light.model_copy(update={"extra": {**(item.extra or {}), **(light.extra or {})}})


def _proven(text: str) -> Blob | None:
    """The blob that a text is; ``None`` where nothing proves that it is one."""
    if len(text) < _LONG or (_DATA_URI.match(text) is None and _type_of(text) is None):
        return None
    blob = blob_of(text)
    return blob if blob.data is None else None


def _type_of(data: str) -> str | None:
    return next((mime for begin, mime in _BEGINNINGS.items() if data.startswith(begin)), None)


def _decoded(data: str) -> bytes | None:
    """The bytes of base64 in either alphabet, with or without line ends and padding; ``None``: it is something else."""
    joined = data.replace("\r", "").replace("\n", "") if "\n" in data else data
    if "+" not in joined and "/" not in joined:
        joined = joined.translate(_URL_SAFE)
    try:
        return base64.b64decode(joined + "=" * (-len(joined) % 4), validate=True)
    except ValueError:
        return None
