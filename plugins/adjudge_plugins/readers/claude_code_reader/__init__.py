"""Sessions of Claude Code, which it stores under ``~/.claude/projects``."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.claude_code_reader.reader import ClaudeCodeReader

    return ClaudeCodeReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``claude_code`` reader."""
    return [
        TraceReaderSpec(
            name="claude_code",
            summary="Sessions of Claude Code, with the steps of sub-agents and where the context was compacted.",
            factory=_make,
            patterns=("*.jsonl", "*.jsonl.gz"),
            recognised_by="a line with a sessionId, a uuid and the type user, assistant or system",
            keys=("type", "uuid", "parentUuid", "sessionId", "message"),
        )
    ]
