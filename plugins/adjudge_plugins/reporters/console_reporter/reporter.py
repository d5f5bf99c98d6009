"""Writes a run for a person."""

from __future__ import annotations

from typing import BinaryIO

from adjudge.plugin import RunReport


class ConsoleReporter:
    """Failures explained, a table of criteria, and the verdict."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the report."""
        summary = report.summary
        counts = ", ".join(f"{count} {status}" for status, count in summary.counts.items())
        line = f"{summary.status}  {summary.cases} cases: {counts}   run {report.run.get('name')}\n"
        stream.write(line.encode("utf-8", "backslashreplace"))
