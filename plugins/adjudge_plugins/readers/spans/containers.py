"""The file formats of spans: a list, one or more per line, an object with ``spans``, or OTLP/JSON with ``resourceSpans``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adjudge.kit.logs import MendingJsonStream, Place, outline
from adjudge.kit.strict_json import JsonStream
from adjudge.model.base import JsonObject

_RESOURCES: Final = ("resourceSpans", "resource_spans")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_OF_A_SPAN: Final = frozenset({"trace_id", "traceId", "span_id", "spanId", "name", "context"})
"""First keys of an object that is a span and not a container of spans."""
_IDS: Final = (
    {"trace_id", "traceId", "context", "context.trace_id"},
    {"span_id", "spanId", "context", "context.span_id"},
)
_SPANS: Final = "spans"
"""The key under which some exports store all spans of a session."""


def holds_spans(head: bytes) -> bool:
    """Whether a file with this head contains spans."""
    found = outline(head)
    return bool(set(found.keys) & set(_RESOURCES)) or any(
        all(set(keys) & names for names in _IDS) and "name" in keys
        for keys in (found.keys, found.lists.get(_SPANS, ()))
    )


def spans_in(stream: MendingJsonStream, file: str) -> Iterator[tuple[JsonObject, Place]]:
    """Yield every span of a file with its place, one at a time.

    Raises:
        InputError: the file is malformed or has another format.
    """
    found = False
    while stream.has_record():
        for span in _value(stream, Place(file, line=stream.line)):
            found = True
            yield span
    if not found:
        stream.fail("no span; spans of OpenTelemetry are expected.")


def _value(stream: JsonStream, place: Place) -> Iterator[tuple[JsonObject, Place]]:
    if stream.peek() == "[":
        for index in stream.elements():
            stream.peek()
            yield from _object(stream, Place(place.file, f"{place.path}[{index}]", stream.line))
    else:
        yield from _object(stream, place)


def _object(stream: JsonStream, place: Place) -> Iterator[tuple[JsonObject, Place]]:
    """Yield a span, or the spans in a container."""
    if stream.peek() != "{":
        stream.fail("no span; spans of OpenTelemetry are expected.")
    if stream.first_key() in _OF_A_SPAN:  # parsed in one call, which is faster than key by key
        yield place.as_object(stream.value()), place
        return
    members: JsonObject = {}
    is_holder = False
    for key in stream.members():
        if key in _RESOURCES:
            is_holder = True
            yield from _inside(stream, place.key(key), (_SCOPES, (_SPANS,)))
        elif key == _SPANS and stream.peek() == "[":
            is_holder = True
            yield from _inside(stream, place.key(key), ())
        else:
            members[key] = stream.value()
    if not is_holder:
        yield members, place


def _inside(
    stream: JsonStream, place: Place, levels: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[JsonObject, Place]]:
    """Yield the spans in a list, which are nested under the keys of each of the ``levels``."""
    for index in stream.elements():
        stream.peek()
        here = Place(place.file, f"{place.path}[{index}]", stream.line)
        if not levels:
            yield here.as_object(stream.value(), "a span"), here
            continue
        for key in stream.members():
            if key in levels[0]:
                yield from _inside(stream, here.key(key), levels[1:])
            else:
                stream.value()
