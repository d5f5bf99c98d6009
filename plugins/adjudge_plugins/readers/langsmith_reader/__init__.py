"""Runs of LangSmith, as its SDK sends them or its API returns them."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.langsmith_reader.reader import LangSmithReader

    return LangSmithReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``langsmith`` reader."""
    return [
        TraceReaderSpec(
            name="langsmith",
            summary="Runs of LangSmith in the formats of its SDK and its API, nested or one per line.",
            factory=_make,
            patterns=("*.json", "*.jsonl"),
            recognised_by="a run with run_type and inputs, or batches of them under post and patch",
            keys=("run_type", "inputs", "outputs", "trace_id", "dotted_order"),
        )
    ]
