"""One step of a history log (seed 003, section 3.1)."""

from __future__ import annotations

from typing import Any, Final, cast

from adjudge.kit import items, logs
from adjudge.model import Blob, Item, JsonObject, Step
from adjudge_plugins.readers.history_log_reader.actions import actions_of

NUMBER: Final = "step"

CLAIMS: Final = ("evaluation_previous_goal", "thinking", "memory", "next_goal")
"""The agent's claims in their logical order: looking back, thinking, looking forward."""

STEP_KEYS: Final = frozenset({NUMBER, "action", *CLAIMS})
"""The keys of a step in the seed; an object with at least two of them is a step."""

_SHOWN: Final = ("url", "title", "observation")
_RESULTS: Final = ("result", "results")
_IMAGES: Final = frozenset({"screenshot", "image"})
_READ: Final = frozenset({NUMBER, "action", "actions", *CLAIMS, *_SHOWN, *_RESULTS, *_IMAGES, "error"})


def is_step(value: object) -> bool:
    """Whether the value has at least two keys of a step."""
    return isinstance(value, dict) and len(STEP_KEYS & cast("JsonObject", value).keys()) > 1


def step_of(data: JsonObject, place: logs.Place, losses: logs.Losses, number: int) -> Step:
    """Convert a step: claims, then actions, then what came back. The caller may change its ``number``.

    ``url``, ``title`` and ``observation`` become observations, ``result`` a result and ``error`` an error. Of
    a ``screenshot`` a file name or address is kept; an embedded image is dropped and noted as a loss. Unknown
    keys are kept in ``extra``.
    """
    if _READ.isdisjoint(data):
        place.fail(f"found no step: it has none of the keys {', '.join(sorted(STEP_KEYS))}")
    claims: list[Item] = []
    for field in CLAIMS:
        if text := logs.text_of(data.get(field)):
            claims.append(items.claim(text, field))
    others = actions_of(data.get("action"))
    if "actions" in data:
        others += actions_of(data["actions"])
    for key in _SHOWN:
        if text := logs.text_of(data.get(key)):
            others.append(items.observation(text, key))
    for key in _RESULTS:
        if data.get(key) is not None:
            others.append(items.result(data[key]))
    if message := logs.text_of(data.get("error")):
        others.append(items.error(message))
    if not _IMAGES.isdisjoint(data):
        others += [_image(value, losses) for key, value in data.items() if key in _IMAGES and value]
    extra = {key: data[key] for key in data if key not in _READ}
    return items.step(
        number,
        (*claims, *logs.items_without_blobs(others, losses)),
        source_ref=str(place),
        extra=logs.without_blobs(extra, losses) if extra else None,
    )


def _image(value: Any, losses: logs.Losses) -> Item:
    if isinstance(value, str) and len(value) < 1024 and not value.startswith("data:"):
        return Blob(uri=value)
    losses.add("screenshots")
    return logs.blob_of(logs.text_of(value))
