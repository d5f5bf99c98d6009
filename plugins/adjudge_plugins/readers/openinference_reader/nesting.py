"""Flattens nested attributes, which some exports write: ``{"llm": {"token_count": {"prompt": 3}}}``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.kit import logs
from adjudge.kit.strict_json import is_object
from adjudge.model import JsonObject
from adjudge_plugins.readers import spans


def spans_with_names(stream: logs.MendingJsonStream, file: str) -> Iterator[tuple[JsonObject, logs.Place]]:
    """Yield every span of a file with its place and flat attribute names.

    Raises:
        InputError: the file is malformed or has another format.
    """
    for span, place in spans.spans_in(stream, file):
        attributes = logs.object_of(span.get("attributes"))
        if any(is_object(value) and "." not in name for name, value in attributes.items()):
            yield {**span, "attributes": dict(_leaves("", attributes))}, place
        else:
            yield span, place


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    held, listed = logs.object_of(value), logs.list_of(value)
    if held:
        for key, inner in held.items():
            yield from _leaves(f"{name}.{key}" if name else key, inner)
    elif any(is_object(inner) for inner in listed):
        for index, inner in enumerate(listed):
            yield from _leaves(f"{name}.{index}", inner)
    else:
        yield name, value
