"""Results of tau2-bench: simulations of customer service in which users also call tools."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.tau2_reader.reader import Tau2Reader

    return Tau2Reader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``tau2`` reader."""
    return [
        TraceReaderSpec(
            name="tau2",
            summary="Results of tau2-bench: every simulation, with the agent's policy and without its reward.",
            factory=_make,
            patterns=("*.json",),
            recognised_by="an object with simulations, and tasks or info",
            keys=("info", "tasks", "simulations"),
        )
    ]
