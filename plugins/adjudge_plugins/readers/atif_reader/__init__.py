"""Files of the Agent Trajectory Interchange Format, ATIF v1."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.atif_reader.reader import AtifReader

    return AtifReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``atif`` reader."""
    return [
        TraceReaderSpec(
            name="atif",
            summary="ATIF v1, the Agent Trajectory Interchange Format, with embedded sub-agents.",
            factory=_make,
            patterns=("trajectory*.json", "*.atif.json"),
            recognised_by="an object whose schema_version is ATIF-v1",
            keys=("schema_version", "agent", "steps", "step_id"),
        )
    ]
