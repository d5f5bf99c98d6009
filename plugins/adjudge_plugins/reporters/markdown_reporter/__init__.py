"""The ``markdown`` reporter: a run as a comment on a pull request, or as the summary of a CI job."""

from __future__ import annotations

from adjudge.plugin import Host, NoConfig, Reporter, ReporterSpec, hookimpl


def _make(_config: NoConfig, _host: Host) -> Reporter:
    from adjudge_plugins.reporters.markdown_reporter.reporter import MarkdownReporter

    return MarkdownReporter()


@hookimpl.reporters
def reporters() -> list[ReporterSpec]:
    """Describe the reporter."""
    return [
        ReporterSpec(
            name="markdown",
            summary="For a comment or a CI summary: verdict, table, failures; at most 60,000 characters.",
            factory=_make,
            suffixes=(".md",),
        )
    ]
