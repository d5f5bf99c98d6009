"""Rollouts of Codex, which it stores under ``~/.codex/sessions``."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.codex_reader.reader import CodexReader

    return CodexReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``codex`` reader."""
    return [
        TraceReaderSpec(
            name="codex",
            summary="Rollouts of Codex: the model's answers, the results of its tools, and the user's messages.",
            factory=_make,
            patterns=("rollout-*.jsonl", "*.jsonl", "*.jsonl.gz"),
            recognised_by="lines with a payload and the type session_meta, response_item, event_msg or turn_context",
            keys=("timestamp", "type", "payload"),
        )
    ]
