"""ADK sessions: files of its API server, of ``adk web`` and of ``adk run --save_session``."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.adk_session_reader.reader import AdkSessionReader

    return AdkSessionReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``adk_session`` reader."""
    return [
        TraceReaderSpec(
            name="adk_session",
            summary="ADK sessions with their events, or bare events, as ADK's server and tools write them.",
            factory=_make,
            patterns=("*.session.json", "session-*.json", "*.ndjson"),
            recognised_by="the keys app_name, user_id and events, or an event with an author and an invocation_id",
            keys=("app_name", "user_id", "events", "author"),
        )
    ]
