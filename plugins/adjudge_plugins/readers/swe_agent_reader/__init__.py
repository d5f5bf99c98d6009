"""Trajectories of SWE-agent: its ``.traj`` files."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.swe_agent_reader.reader import SweAgentReader

    return SweAgentReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``swe_agent`` reader."""
    return [
        TraceReaderSpec(
            name="swe_agent",
            summary="Trajectories of SWE-agent: thoughts, commands and what the shell answered.",
            factory=_make,
            patterns=("*.traj",),
            recognised_by="an object whose trajectory begins with an action and a thought, or whose history is SWE-agent's",
            keys=("trajectory", "action", "observation", "thought", "history"),
        )
    ]
