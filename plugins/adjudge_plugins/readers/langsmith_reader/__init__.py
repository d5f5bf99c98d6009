"""Runs of LangSmith, as its SDK sends them and its API gives them."""

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
            summary="Runs of LangSmith: what its SDK sends, and what its API gives, nested or one a line.",
            factory=_make,
            patterns=("*.json", "*.jsonl"),
            recognised_by="a run with run_type and inputs, or batches of them under post and patch",
            keys=("run_type", "inputs", "outputs", "trace_id", "dotted_order"),
        )
    ]
