"""Events of OpenHands: those of its application, of its evaluations, and of its SDK."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.openhands_reader.reader import OpenHandsReader

    return OpenHandsReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``openhands`` reader."""
    return [
        TraceReaderSpec(
            name="openhands",
            summary="Events of OpenHands: trajectories, rows of its evaluations, and events of its SDK.",
            factory=_make,
            patterns=("*.json", "*.jsonl"),
            recognised_by="an event with id, timestamp, source and action or observation, or with a kind of the SDK",
            keys=("id", "timestamp", "source", "action", "args"),
        )
    ]
