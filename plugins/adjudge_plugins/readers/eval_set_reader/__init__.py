"""Eval sets as recordings: their expected conversations are read as trajectories."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.eval_set_reader.reader import EvalSetReader

    return EvalSetReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``eval_set`` reader."""
    return [
        TraceReaderSpec(
            name="eval_set",
            summary="ADK eval sets, new and old formats: their conversations are read as runs of the agent.",
            factory=_make,
            patterns=("*.evalset.json", "*.test.json"),
            recognised_by="an object with eval_set_id or eval_cases, or a list of turns with query",
            keys=("eval_set_id", "eval_cases", "eval_id", "conversation"),
        )
    ]
