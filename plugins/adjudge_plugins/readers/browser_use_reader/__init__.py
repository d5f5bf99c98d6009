"""Histories of browser-use, written by ``AgentHistoryList.save_to_file``, in all versions."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, NoConfig, TraceReader, TraceReaderSpec, hookimpl


def _make(config: NoConfig, host: Host) -> TraceReader:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.readers.browser_use_reader.reader import BrowserUseReader

    return BrowserUseReader()


@hookimpl.trace_readers
def trace_readers() -> Iterable[TraceReaderSpec]:
    """Describe the ``browser_use`` reader."""
    return [
        TraceReaderSpec(
            name="browser_use",
            summary="Histories of browser-use (AgentHistoryList), nested and flat generations.",
            factory=_make,
            patterns=("*history*.json",),
            recognised_by="an object whose history begins with a record that has model_output, or result and state",
            keys=("history", "model_output", "result", "state"),
        )
    ]
