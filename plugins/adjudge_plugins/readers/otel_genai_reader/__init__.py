"""Traces of agents with OpenTelemetry's GenAI conventions."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.otel_genai_reader.reader import OtelGenAIReader

    return OtelGenAIReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``otel_genai`` reader."""
    return [
        TraceReaderSpec(
            name="otel_genai",
            summary="OpenTelemetry spans with gen_ai attributes: a list, JSON Lines, or OTLP/JSON.",
            factory=_make,
            patterns=("*.otlp.json", "*spans.json", "*.jsonl", "*.ndjson"),
            recognised_by="spans (trace_id, span_id, or resourceSpans) with an attribute gen_ai.*",
            keys=("trace_id", "span_id", "attributes", "gen_ai.operation.name"),
        )
    ]
