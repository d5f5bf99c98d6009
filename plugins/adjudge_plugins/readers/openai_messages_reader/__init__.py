"""Chat messages in OpenAI's format: one conversation, many, or the runs of tau-bench."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.openai_messages_reader.reader import OpenAIMessagesReader

    return OpenAIMessagesReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``openai_messages`` reader."""
    return [
        TraceReaderSpec(
            name="openai_messages",
            summary="OpenAI-style chat messages, as one conversation or a row per run (tau-bench).",
            factory=_make,
            patterns=("*.jsonl", "*.jsonl.gz", "*.messages.json", "*.ndjson"),
            recognised_by="a chat message with a role, or an object whose messages or traj begin with one",
            keys=("messages", "role", "content"),
            maps_roles=True,
        )
    ]
