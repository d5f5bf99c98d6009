"""Removes screenshots and other large binary data from trajectories; only their type and hash are kept.

Only results, observations and additional data of the format are changed. Texts of agents and users and the arguments
of calls stay unchanged, because criteria compare and validate them.
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
"""The minimum length of a removed text in characters. Shorter texts are never changed."""

_DATA_URI: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,")

# The beginning of each binary format, in base64.
_BEGINNINGS: Final = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
}

_URL_SAFE: Final = str.maketrans("-_", "+/")
_UNKNOWN: Final = "binary data"
_SAID: Final = frozenset({Text, Claim, ToolCall, ErrorItem})
"""Classes of items whose content is never changed."""


def blob_of(data: str, *, mime_type: str | None = None) -> Blob:
    """Describe binary data without storing it: its type, its hash, and its length in base64.

    ``extra`` has ``base64_characters``, and the ``sha256`` of the bytes. Data that is not base64 stays unchanged.

    Args:
        data: A data URI, or base64.
        mime_type: The type if the log contains it; otherwise it is derived from the data URI or the first bytes.
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
    """Replace long texts with binary data in a JSON value by notes; each one is counted in ``losses``.

    A text is binary data if all of it is base64 and it is a data URI or begins like a known format. Equal notes mean
    equal data.
    """
    return _with_notes(value, losses) if _has_long_text(value) else value


def items_without_blobs(items: Iterable[Item], losses: Losses) -> tuple[Item, ...]:
    """The items of a step or a message, with binary data removed from results, observations and additional data."""
    return tuple([item if _is_light(item) else _without_blobs(item, losses) for item in items])


def step_without_blobs(step: Step, losses: Losses) -> Step:
    """The step, with binary data removed from results, observations and additional data."""
    if step.extra is None and all(map(_is_light, step.items)):
        return step  # fast path
    items = items_without_blobs(step.items, losses)
    extra = without_blobs(step.extra, losses)
    if extra is step.extra and all(map(operator.is_, items, step.items)):
        return step
    return step.model_copy(update={"items": items, "extra": extra})


def _is_light(item: Item) -> bool:
    """Whether it is obvious that nothing in the item is removed: a fast path for most items."""
    if item.extra is not None:
        return False
    if type(item) in _SAID:
        return True
    shown: object = None
    if isinstance(item, ToolResult):
        shown = item.value
    elif isinstance(item, Observation):
        shown = item.text
    return isinstance(shown, str) and len(shown) < _LONG


def _without_blobs(item: Item, losses: Losses) -> Item:
    changed: dict[str, Any] = {}
    if isinstance(item, Blob):
        item = _light(item, losses)
    elif isinstance(item, ToolResult | Opaque):
        if _has_long_text(item.value):
            changed["value"] = _with_notes(item.value, losses)
    elif isinstance(item, Observation) and _has_long_text(item.text):
        changed["text"] = _with_notes(item.text, losses)
    if item.extra is not None and _has_long_text(item.extra):
        changed["extra"] = _with_notes(item.extra, losses)
    return item.model_copy(update=changed) if changed else item


def _has_long_text(value: Any) -> bool:
    """Whether the value contains a text that is long enough for removal. Most values do not."""
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
    """The text as a ``Blob``; ``None`` if it is not certain that it is binary data."""
    if len(text) < _LONG or (_DATA_URI.match(text) is None and _type_of(text) is None):
        return None
    blob = blob_of(text)
    return blob if blob.data is None else None


def _type_of(data: str) -> str | None:
    return next((mime for begin, mime in _BEGINNINGS.items() if data.startswith(begin)), None)


def _decoded(data: str) -> bytes | None:
    """Decode base64 in either alphabet, with or without line ends and padding; ``None`` if it is not base64."""
    joined = data.replace("\r", "").replace("\n", "") if "\n" in data else data
    if "+" not in joined and "/" not in joined:
        joined = joined.translate(_URL_SAFE)
    try:
        return base64.b64decode(joined + "=" * (-len(joined) % 4), validate=True)
    except ValueError:
        return None
