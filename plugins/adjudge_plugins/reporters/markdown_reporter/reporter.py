"""Writes the Markdown: the verdict, the result of each criterion, then as many failures as fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

from adjudge.kit import render
from adjudge.kit.viewer import Comparison, compared, run_document
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.markdown_reporter.escaping import code
from adjudge_plugins.reporters.markdown_reporter.failures import LINE, NAME, Failures
from adjudge_plugins.reporters.markdown_reporter.signs import sign

LIMIT: Final = 60_000
"""The size limit of a report in characters; GitHub allows 65,536 in a comment."""

_ROWS: Final = 50
_ERRORS: Final = 5
_WARNINGS: Final = 5
_CHANGES: Final = 20
_NOTES: Final = 10


class MarkdownReporter:
    """Reads the cases once, and keeps only what will be written."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the report."""
        tally = render.Tally()
        failures = Failures(LIMIT)
        for case in render.whole_cases(report):
            tally.add(case)
            failures.add(case)
        head, end = _text(_head(report, tally)), _text(_end(report))
        heading = _text(["", "### What did not pass", ""])
        left_out = _text(_left_out(report, failures.count))
        blocks = failures.fitting(LIMIT - sum(map(len, (head, heading, left_out, end))))
        if not blocks:
            heading = ""
        if len(blocks) == failures.count:
            left_out = ""
        else:
            left_out = _text(_left_out(report, failures.count - len(blocks)))
        stream.write("".join((head, heading, *blocks, left_out, end)).encode())


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _head(report: RunReport, tally: render.Tally) -> Iterator[str]:
    document = run_document(report, tally)
    word, _, text = document["verdict"]
    yield f"<!-- adjudge_version: {re.sub('[^0-9A-Za-z.+]', '', report.run.adjudge_version)} -->"
    yield f"## {sign(report.summary.status)} {word} {text}"
    if document["criteria"]:
        yield ""
        yield "| criterion | mean | threshold | passed | others |"
        yield "|---|---:|---:|---:|---|"
    for row in document["criteria"][:_ROWS]:
        name = code(row["name"], 80, in_table=True)
        cells = (row["mean"] or "–", row["threshold"] or "–", row["passed"] or "–", row["rest"])
        yield f"| {name} | {' | '.join(cells)} |"
    yield from _more(document["criteria"], _ROWS, "criteria")
    for error in document["errors"][:_ERRORS]:
        yield ""
        yield f"{sign('error')} {code(error, LINE)}"
    yield from _more(document["errors"], _ERRORS, "errors")
    if report.baseline is not None:
        yield from _changes(compared(report.baseline, report))


def _changes(comparison: Comparison) -> Iterator[str]:
    yield ""
    yield f"### Since run {code(comparison['before'], NAME)}: {comparison['text']}"
    yield ""
    for note in comparison["notes"][:_NOTES]:
        yield f"- {code(note, LINE)}"
    yield from _more(comparison["notes"], _NOTES, "notes")
    for change in comparison["changes"][:_CHANGES]:
        what = f" {code('; '.join(change['what']), LINE)}" if change["what"] else ""
        statuses = " → ".join(filter(None, (change["before"], change["after"])))
        yield f"- **{change['words']}** {code(change['name'], NAME)} {statuses}{what}"
    yield from _more(comparison["changes"], _CHANGES, "changes")


def _more(items: list[Any], shown: int, noun: str) -> Iterator[str]:
    if (more := len(items) - shown) > 0:
        yield ""
        yield f"and {more:,} more {noun}"
        yield ""


def _left_out(report: RunReport, count: int) -> Iterator[str]:
    yield ""
    yield f"and {count:,} more that did not pass: this report has at most {LIMIT:,} characters. All of them:"
    yield code(f"adjudge runs show {report.run.name} --output report.html", 2 * NAME)


def _end(report: RunReport) -> Iterator[str]:
    for warning in report.warnings[:_WARNINGS]:
        yield ""
        yield f"warning: {code(warning, 150)}"
    yield from _more(list(report.warnings), _WARNINGS, "warnings")
    yield ""
    took = f"{report.run.duration:.1f} s, adjudge {code(report.run.adjudge_version, 40)}"
    yield f"<sub>run {code(report.run.name, NAME)}, {took}</sub>"
