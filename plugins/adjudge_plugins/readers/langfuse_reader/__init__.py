"""Traces of Langfuse, exported with its API or its user interface."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.langfuse_reader.reader import LangfuseReader

    return LangfuseReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``langfuse`` reader."""
    return [
        TraceReaderSpec(
            name="langfuse",
            summary="Traces of Langfuse with their observations, as its API and its screens export them.",
            factory=_make,
            patterns=("*.trace.json", "*.json", "*.jsonl"),
            recognised_by="an object with observations, or observations with a traceId, a type and a startTime",
            keys=("observations", "traceId", "type", "startTime"),
        )
    ]
