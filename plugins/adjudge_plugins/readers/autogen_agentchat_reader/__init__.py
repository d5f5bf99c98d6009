"""Messages of AutoGen 0.4 and later: those of AgentChat, and requests to its models."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.autogen_agentchat_reader.reader import AutogenAgentChatReader

    return AutogenAgentChatReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``autogen_agentchat`` reader."""
    return [
        TraceReaderSpec(
            name="autogen_agentchat",
            summary="AutoGen 0.4 and later: messages of AgentChat, TaskResult, states of teams and model contexts.",
            factory=_make,
            patterns=("*.json", "*.jsonl"),
            recognised_by="a message with content, a source and a type such as TextMessage or AssistantMessage, or a TeamState",
            keys=("messages", "source", "content", "models_usage"),
            maps_roles=True,
        )
    ]
