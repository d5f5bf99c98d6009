"""Results of ADK's own evaluations, read as trajectories."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.adk_result_reader.reader import AdkResultReader

    return AdkResultReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``adk_result`` reader."""
    return [
        TraceReaderSpec(
            name="adk_result",
            summary="Results of adk eval, *.evalset_result.json: what the agent did in every case.",
            factory=_make,
            patterns=("*.evalset_result.json",),
            recognised_by="an object with eval_case_results",
            keys=("eval_set_result_id", "eval_set_id", "eval_case_results"),
        )
    ]
