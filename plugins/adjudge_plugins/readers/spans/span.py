"""One span in any format: OTLP/JSON, the Python SDK's ``to_json``, or a plain list of spans.

The classes are not frozen, because a frozen dataclass takes three times as long to create. Nobody changes their instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from adjudge.kit.logs import Place, moment_of, object_of, text_of
from adjudge.kit.strict_json import is_object
from adjudge.model.base import JsonObject
from adjudge.model.items import ErrorItem

_NANOSECONDS: Final = 1e9
_ERROR_CODES: Final = (2, "2", "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR")
_COLUMN: Final = "attributes."
_CONTEXT: Final = "context."
_VALUES: Final = {
    "stringValue": "string",
    "boolValue": "bool",
    "intValue": "int",
    "doubleValue": "double",
    "bytesValue": "bytes",
    "arrayValue": "array",
    "kvlistValue": "kvlist",
}


@dataclass(slots=True)
class SpanEvent:
    """An event of a span."""

    name: str
    attributes: JsonObject
    body: JsonObject = field(default_factory=dict[str, Any])
    """The other fields of a log record, if the exporter writes events as log records."""


@dataclass(slots=True)
class Span:
    """One operation of a trace. Times are seconds since the epoch."""

    place: Place
    name: str
    trace_id: str
    span_id: str
    parent_id: str | None
    started_at: float | None
    ended_at: float | None
    attributes: JsonObject
    """Attributes by the names of the convention, with JSON values."""
    events: tuple[SpanEvent, ...] = ()
    kind: str | None = None
    """The kind of operation if it is stored outside of the attributes. OpenTelemetry's own span kinds do not count."""
    error: ErrorItem | None = None
    """The error of the span: an exception, an ``error.type``, or a status."""

    @property
    def duration(self) -> float | None:
        """The duration in seconds; ``None`` if a time is missing or the end is before the start."""
        if self.started_at is None or self.ended_at is None or self.ended_at < self.started_at:
            return None
        return self.ended_at - self.started_at

    def text(self, *names: str) -> str | None:
        """The first of these attributes that is a non-empty text."""
        for name in names:
            if isinstance(value := self.attributes.get(name), str) and value:
                return value
        return None

    def with_content(self, attributes: JsonObject, events: tuple[SpanEvent, ...]) -> Span:
        """A copy with other attributes and events. These can make up most of a file."""
        return Span(
            self.place,
            self.name,
            self.trace_id,
            self.span_id,
            self.parent_id,
            self.started_at,
            self.ended_at,
            attributes,
            events,
            self.kind,
            self.error,
        )


def span_of(data: JsonObject, place: Place) -> Span:
    """Parse a span in any of the three formats.

    Raises:
        InputError: it has no trace id or span id, or its attributes are malformed.
    """
    context = object_of(data.get("context"))
    if not context and f"{_CONTEXT}trace_id" in data:
        context = {
            key.removeprefix(_CONTEXT): value for key, value in data.items() if key.startswith(_CONTEXT)
        }
    trace_id = _first(data, context, "trace_id", "traceId")
    span_id = _first(data, context, "span_id", "spanId")
    if not isinstance(trace_id, str) or not isinstance(span_id, str):
        place.fail("found no span", "A span has a trace_id and a span_id.")
    parent = _first(data, {}, "parent_span_id", "parentSpanId", "parent_id")
    name = data.get("name")
    written = data.get("attributes")
    if written is None:  # some exports have one column per attribute
        written = {key.removeprefix(_COLUMN): value for key, value in data.items() if key.startswith(_COLUMN)}
    attributes = written if is_object(written) else _attributes(written, place.key("attributes"))
    kind = _first(data, {}, "span_kind", "spanKind", "kind")
    events = tuple(_events(data, place)) if data.get("events") or data.get("span_events") else ()
    return Span(
        place=place,
        name=name if isinstance(name, str) else "",
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent if isinstance(parent, str) and parent else None,
        started_at=_seconds(_first(data, {}, "start_time", "startTimeUnixNano", "start_time_unix_nano")),
        ended_at=_seconds(_first(data, {}, "end_time", "endTimeUnixNano", "end_time_unix_nano")),
        attributes=attributes,
        events=events,
        kind=kind if isinstance(kind, str) else None,
        error=_error(object_of(data.get("status")), attributes, events),
    )


def _error(status: JsonObject, attributes: JsonObject, events: tuple[SpanEvent, ...]) -> ErrorItem | None:
    code = text_of(attributes.get("error.type"))
    if not code and _first(status, {}, "code", "status_code") not in _ERROR_CODES:
        return None
    exception = next((event.attributes for event in events if event.name == "exception"), None) or {}
    kind = code or text_of(exception.get("exception.type"))
    said = text_of(exception.get("exception.message")) or text_of(
        _first(status, {}, "message", "description")
    )
    return ErrorItem(message=said or kind or "the span failed", code=kind or None)


def _events(data: JsonObject, place: Place) -> Iterator[SpanEvent]:
    key = "span_events" if "span_events" in data else "events"
    for event, at in place.key(key).as_objects(data.get(key), "a list of events"):
        name = _first(event, {}, "name", "event_name")
        attributes = _attributes(event.get("attributes"), at.key("attributes"))
        yield SpanEvent(text_of(name), attributes, object_of(event.get("body")))


def _attributes(value: object, place: Place) -> JsonObject:
    if value is None:
        return {}
    if is_object(value):
        return value
    return _pairs(place.as_objects(value, "an object or a list of keys and values"))


def _pairs(pairs: list[tuple[JsonObject, Place]]) -> JsonObject:
    found: JsonObject = {}
    for pair, place in pairs:
        key = pair.get("key")
        if not isinstance(key, str):
            place.fail("found no 'key' of an attribute")
        found[key] = _any_value(pair.get("value"), place.key("value"))
    return found


def _any_value(value: object, place: Place) -> Any:
    """Convert OTLP's ``AnyValue`` to JSON."""
    data = place.as_object(value, "a value of OTLP") if value is not None else {}
    for name, kind in _VALUES.items():
        inner = _first(data, {}, name, f"{kind}_value")
        if inner is None:
            continue
        match kind:
            case "int":
                return int(inner) if isinstance(inner, str) and _is_whole(inner) else inner
            case "array":
                values = place.as_objects(object_of(inner).get("values"))
                return [_any_value(element, at) for element, at in values]
            case "kvlist":
                return _pairs(place.as_objects(object_of(inner).get("values")))
            case _:
                return inner
    return None


def _first(data: Mapping[str, Any], other: Mapping[str, Any], *names: str) -> Any:
    for name in names:
        if (value := data.get(name)) is not None or (value := other.get(name)) is not None:
            return value
    return None


def _seconds(value: object) -> float | None:
    """Seconds since the epoch, from nanoseconds (a number or a text) or an ISO 8601 time."""
    if isinstance(value, str) and not _is_whole(value):
        return moment_of(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value) / _NANOSECONDS
    except OverflowError:
        return None


def _is_whole(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit() and len(text) < 40
