"""The ``console`` reporter: the report on the terminal at the end of ``adjudge eval``."""

from __future__ import annotations

from adjudge.plugin import Host, NoConfig, Reporter, ReporterSpec, hookimpl


def _make(_config: NoConfig, _host: Host) -> Reporter:
    from adjudge_plugins.reporters.console_reporter.reporter import ConsoleReporter

    return ConsoleReporter()


@hookimpl.reporters
def reporters() -> list[ReporterSpec]:
    """Describe the reporter."""
    return [
        ReporterSpec(
            name="console",
            summary="For a person: failures explained, a table of criteria, and the verdict.",
            factory=_make,
            is_default=True,
        )
    ]
