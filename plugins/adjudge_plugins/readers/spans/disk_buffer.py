"""Spans by trace: on disk while the file is read, because the spans of a trace may lie anywhere in it."""

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
from adjudge_plugins.readers.spans.span import Span, span_of


@dataclass(frozen=True, slots=True)
class _Row:
    order: tuple[float, float]
    """By start; an outer span before the inner ones that start with it."""
    offset: int
    length: int
    place: Place


@dataclass(slots=True)
class Trace:
    """Where the spans of a trace are, and what decides which other traces it belongs to."""

    trace_id: str
    first: Place
    started_at: float = float("inf")
    conversation: str | None = None
    """Of its earliest span that names one."""
    named_at: float = float("inf")
    spans: dict[str, _Row] = field(default_factory=dict[str, "_Row"])
    """Where each is in the file on disk, by its id."""
    mended: Counter[str] = field(default_factory=Counter[str])
    """What was mended in the JSON of its spans."""
    repeated: int = 0
    """How many spans had the id of an earlier one, as in a batch that was exported twice."""


class Spool:
    """Holds the spans of one file; memory has only where they are."""

    def __init__(self, conversation_attributes: tuple[str, ...]) -> None:
        """Traces that agree in one of these attributes are one conversation."""
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
        """Keep every span, and to its trace what was mended to read it.

        Raises:
            InputError: one of them is no span.
        """
        offset = 0
        for data, place in spans:
            span = span_of(data, place)
            trace = self._traces.setdefault(span.trace_id, Trace(span.trace_id, place))
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
            row = to_json(data)
            self._file.write(row)
            trace.spans[span.span_id] = _Row(_order(span), offset, len(row), place)
            offset += len(row)

    def conversations(self) -> Iterator[list[Trace]]:
        """The traces that belong together, in order of time; conversations in order of the file."""
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

    def spans(self, trace: Trace) -> Iterator[Span]:
        """The spans of a trace, one at a time: by start, an outer one before the inner ones that start with it."""
        for row in sorted(trace.spans.values(), key=lambda row: row.order):
            self._file.seek(row.offset)
            yield span_of(from_json(self._file.read(row.length)), row.place)


def _order(span: Span) -> tuple[float, float]:
    started = float("inf") if span.started_at is None else span.started_at
    return started, -(span.ended_at or started)
