"""Logs of the evaluation framework Inspect: ``.eval`` and ``.json``."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.inspect_reader.reader import InspectReader

    return InspectReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``inspect`` reader."""
    return [
        TraceReaderSpec(
            name="inspect",
            summary="Logs of Inspect, .eval and .json: the messages of every sample, without its target and scores.",
            factory=_make,
            patterns=("*.eval", "*.json"),
            recognised_by="an archive with _journal/start.json or header.json, or an object with version, status and eval",
            keys=("version", "status", "eval", "plan", "samples"),
        )
    ]
