"""The ``html`` reporter: a run as one self-contained page, which a browser opens from disk."""

from __future__ import annotations

from adjudge.plugin import Host, NoConfig, Reporter, ReporterSpec, hookimpl


def _make(_config: NoConfig, _host: Host) -> Reporter:
    from adjudge_plugins.reporters.html_reporter.reporter import HtmlReporter

    return HtmlReporter()


@hookimpl.reporters
def reporters() -> list[ReporterSpec]:
    """Describe the reporter."""
    return [
        ReporterSpec(
            name="html",
            summary="One page for a browser, without a server: results, traces, AI Judge.",
            factory=_make,
            suffixes=(".html", ".htm"),
        )
    ]
