"""Runs of Magentic-One, where the role of a message names its speaker."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.magentic_one_reader.reader import MagenticOneReader

    return MagenticOneReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``magentic_one`` reader."""
    return [
        TraceReaderSpec(
            name="magentic_one",
            summary="Runs of Magentic-One: the orchestrator's thoughts and instructions, and the agents' answers.",
            factory=_make,
            patterns=("*.json", "*.jsonl"),
            recognised_by="a history of messages with role and content, one of which is of the Orchestrator, or events with source and message",
            keys=("history", "role", "content"),
            maps_roles=True,
        )
    ]
