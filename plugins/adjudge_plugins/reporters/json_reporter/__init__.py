"""The ``json`` reporter: a run as one JSON document with one row per line."""

from __future__ import annotations

from adjudge.plugin import Host, NoConfig, Reporter, ReporterSpec, hookimpl


def _make(_config: NoConfig, _host: Host) -> Reporter:
    from adjudge_plugins.reporters.json_reporter.writer import JsonReporter

    return JsonReporter()


@hookimpl.reporters
def reporters() -> list[ReporterSpec]:
    """Describe the reporter."""
    return [
        ReporterSpec(
            name="json",
            summary="The whole run as JSON: run, summary and a row per case and repeat.",
            factory=_make,
            suffixes=(".json",),
        )
    ]
