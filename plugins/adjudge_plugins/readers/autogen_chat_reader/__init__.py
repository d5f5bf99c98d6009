"""Multi-agent chats of AutoGen and AG2: messages with the name of their agent."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.autogen_chat_reader.reader import AutogenChatReader

    return AutogenChatReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``autogen_chat`` reader."""
    return [
        TraceReaderSpec(
            name="autogen_chat",
            summary="Chats of several agents: AutoGen's and AG2's ChatResult, and logs with the same messages.",
            factory=_make,
            patterns=("*.json", "*.jsonl", "*.jsonl.gz", "*.ndjson"),
            recognised_by="a list chat_history or history that begins with a message with name, role and content",
            keys=("chat_history", "name", "role", "content"),
            maps_roles=True,
        )
    ]
