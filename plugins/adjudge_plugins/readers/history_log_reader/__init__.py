"""History logs: lists of steps with the agent's thoughts, memory, actions and next goals."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.history_log_reader.reader import HistoryLogReader

    return HistoryLogReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``history_log`` reader."""
    return [
        TraceReaderSpec(
            name="history_log",
            summary="History logs: steps of thinking, memory, action, next_goal, evaluation_previous_goal.",
            factory=_make,
            patterns=("history_logs/*.json", "*.jsonl", "*.jsonl.gz", "*.ndjson"),
            recognised_by="a step with two of step, thinking, memory, action, next_goal, evaluation_previous_goal",
            keys=("step", "thinking", "memory", "action", "next_goal", "evaluation_previous_goal"),
        )
    ]
