"""The ``junit`` reporter: a run as JUnit XML, which CI systems show as test results."""

from __future__ import annotations

from adjudge.plugin import Host, NoConfig, Reporter, ReporterSpec, hookimpl


def _make(_config: NoConfig, _host: Host) -> Reporter:
    from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter

    return JUnitReporter()


@hookimpl.reporters
def reporters() -> list[ReporterSpec]:
    """Describe the reporter."""
    return [
        ReporterSpec(
            name="junit",
            summary="JUnit XML for CI: a suite per eval set, a test per case.",
            factory=_make,
            suffixes=(".xml", ".junit.xml"),
        )
    ]
