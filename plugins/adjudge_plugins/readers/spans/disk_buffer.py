"""Groups spans by trace in a temporary file, because the spans of a trace may be anywhere in the input."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pydantic_core import from_json, to_json

from adjudge.kit.logs import Place
from adjudge.model.base import JsonObject
from adjudge_plugins.readers.spans.span import Span, SpanEvent, span_of


@dataclass(slots=True)
class _Row:
    span: Span
    """The span without attributes and events."""
    offset: int
    length: int


@dataclass(slots=True)
class Trace:
    """The spans of a trace, and the conversation that it belongs to."""

    trace_id: str
    first: Place
    started_at: float = float("inf")
    conversation: str | None = None
    """The conversation named by its earliest span that names one."""
    named_at: float = float("inf")
    spans: dict[str, _Row] = field(default_factory=dict[str, "_Row"])
    """The spans by id, with the position of their content in the temporary file."""
    mended: Counter[str] = field(default_factory=Counter[str])
    """Repairs in the JSON of its spans, counted by kind."""
    repeated: int = 0
    """The number of spans with the id of an earlier one, for instance from a batch that was exported twice."""


class Spool:
    """Buffers the spans of one file on disk; only their attributes and events are not in memory."""

    def __init__(self, conversation_attributes: tuple[str, ...]) -> None:
        """Group traces that are equal in one of these attributes to conversations."""
        self._attributes = conversation_attributes
        self._file = tempfile.TemporaryFile(prefix="adjudge-spans-")  # noqa: SIM115 - closed by __exit__
        self._traces: dict[str, Trace] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def take(self, spans: Iterable[tuple[JsonObject, Place]], mended: Counter[str]) -> None:
        """Store every span, and count the repairs for its trace.

        Raises:
            InputError: a value is not a span.
        """
        offset = 0
        for data, place in spans:
            span = span_of(data, place)
            trace = self._traces.get(span.trace_id)
            if trace is None:
                trace = self._traces[span.trace_id] = Trace(span.trace_id, place)
            if mended:
                trace.mended.update(mended)
                mended.clear()
            started = float("inf") if span.started_at is None else span.started_at
            trace.started_at = min(trace.started_at, started)
            conversation = span.text(*self._attributes)
            if conversation is not None and (trace.conversation is None or started < trace.named_at):
                trace.conversation, trace.named_at = conversation, started
            if span.span_id in trace.spans:
                trace.repeated += 1
                continue
            row = to_json([span.attributes, [[it.name, it.attributes, it.body] for it in span.events]])
            self._file.write(row)
            trace.spans[span.span_id] = _Row(span.with_content({}, ()), offset, len(row))
            offset += len(row)

    def conversations(self) -> Iterator[list[Trace]]:
        """Yield the traces of each conversation in order of time; conversations follow the order of the file."""
        found: dict[tuple[str, str], list[Trace]] = {}
        for trace in self._traces.values():
            key = (
                ("trace", trace.trace_id)
                if trace.conversation is None
                else ("conversation", trace.conversation)
            )
            found.setdefault(key, []).append(trace)
        for traces in found.values():
            yield sorted(traces, key=lambda trace: trace.started_at)

    def spans(self, trace: Trace) -> Iterator[tuple[Span, Span]]:
        """Yield the spans of a trace one at a time, each without its content and with it.

        They are sorted by start time; with equal times an outer span precedes inner ones.
        """
        for row in sorted(trace.spans.values(), key=_order):
            self._file.seek(row.offset)
            attributes, events = from_json(self._file.read(row.length))
            yield row.span, row.span.with_content(attributes, tuple([SpanEvent(*event) for event in events]))


def _order(row: _Row) -> tuple[float, float]:
    started = float("inf") if row.span.started_at is None else row.span.started_at
    return started, -(row.span.ended_at or started)
