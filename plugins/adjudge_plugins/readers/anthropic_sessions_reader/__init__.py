"""Sessions of Anthropic's managed agents, as events."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.anthropic_sessions_reader.reader import AnthropicSessionsReader

    return AnthropicSessionsReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``anthropic_sessions`` reader."""
    return [
        TraceReaderSpec(
            name="anthropic_sessions",
            summary="Events of sessions of Anthropic's managed agents, alone or with the calls of the SDK that gave them.",
            factory=_make,
            patterns=("*.jsonl", "*.json"),
            recognised_by="events of types such as user.message and agent.message",
            keys=("type", "processed_at", "content"),
        )
    ]
