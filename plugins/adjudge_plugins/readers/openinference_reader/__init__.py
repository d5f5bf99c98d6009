"""Traces of agents with OpenInference's conventions (Arize Phoenix and others)."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.openinference_reader.reader import OpenInferenceReader

    return OpenInferenceReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``openinference`` reader."""
    return [
        TraceReaderSpec(
            name="openinference",
            summary="Spans with OpenInference attributes: a list, JSON Lines, or OTLP/JSON.",
            factory=_make,
            patterns=("*.otlp.json", "*spans.json", "*.jsonl", "*.ndjson"),
            recognised_by="spans (trace_id, span_id, or resourceSpans) with openinference.span.kind",
            keys=("trace_id", "span_id", "attributes", "openinference.span.kind"),
        )
    ]
