"""Run states of OpenAI's Agents SDK (``RunState.to_json``), from which a run can be resumed."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.openai_run_state_reader.reader import OpenAIRunStateReader

    return OpenAIRunStateReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``openai_run_state`` reader."""
    return [
        TraceReaderSpec(
            name="openai_run_state",
            summary="OpenAI Agents SDK: RunState, the whole run up to where it stopped.",
            factory=_make,
            patterns=("*.json",),
            recognised_by="an object with $schemaVersion and generated_items or original_input",
            keys=("$schemaVersion", "original_input", "generated_items", "current_agent"),
        )
    ]
