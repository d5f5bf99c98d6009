"""Writes the Markdown: first the verdict, then the result of each criterion, then as many failures as fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from adjudge.kit import render
from adjudge.kit.viewer import Comparison, case_row, compared, run_document
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.markdown_reporter.escaping import code

LIMIT: Final = 60_000
"""The size limit of a report in characters; GitHub allows 65,536 in a comment."""

_RESERVED: Final = 1_500
"""The number of characters that are reserved for the text below the failures."""
_NAME: Final = 200
_HEADLINE: Final = 300
_LINE: Final = 300
_LINES: Final = 6
"""The number of lines about the differences in one case."""
_ROWS: Final = 50
_WARNINGS: Final = 5
_CHANGES: Final = 20
_UNSETTLED: Final = ("FAIL", "error", "UNSURE")
_SIGNS: Final = {"pass": "✅", "fail": "❌", "unsure": "❓", "error": "⚠️"}
_DIFFERING: Final = frozenset(
    {render.Tone.EXPECTED, render.Tone.ACTUAL, render.Tone.FAIL, render.Tone.UNSURE, render.Tone.ERROR}
)


class MarkdownReporter:
    """Reads the cases once, and keeps only what will be written."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the report."""
        tally = render.Tally()
        failures = _Failures()
        for case in render.whole_cases(report):
            tally.add(case)
            if case.overall.status in _UNSETTLED and not case.unfinished:
                failures.add(case)
        head = "".join(f"{line}\n" for line in _head(report, tally))
        body = failures.text(LIMIT - len(head) - _RESERVED)
        rest = "".join(f"{line}\n" for line in _rest(report, failures.left_out))
        stream.write((head + body + rest).encode())


class _Failures:
    """The cases that did not pass, up to the size limit of the report."""

    def __init__(self) -> None:
        self.left_out = 0
        self._blocks: list[str] = []
        self._size = 0

    def add(self, case: render.WholeCase) -> None:
        if self._size > LIMIT:
            self.left_out += 1
            return
        block = "".join(f"{line}\n" for line in _failure(case))
        self._blocks.append(block)
        self._size += len(block)

    def text(self, room: int) -> str:
        """Format the failures that fit into ``room`` characters; the rest are counted."""
        heading = "\n### What did not pass\n\n"
        room -= len(heading)
        shown: list[str] = []
        for block in self._blocks:
            if len(block) > room:
                break
            shown.append(block)
            room -= len(block)
        self.left_out += len(self._blocks) - len(shown)
        return heading + "".join(shown) if shown else ""


def _failure(case: render.WholeCase) -> Iterator[str]:
    """A headline with the reason, and one line per difference, as on the console."""
    status = case.overall.status
    sign = _SIGNS.get(render.tone_of(status).value, "")
    row = case_row(case, (), "")
    yield f"- {sign} **{status}** {code(row['name'], _NAME)} {code(row['headline'], _HEADLINE)}"
    lines = list(dict.fromkeys(str(line).strip() for line in _explained(case)))
    for line in lines[:_LINES]:
        yield f"  - {code(line, _LINE)}"
    if len(lines) > _LINES:
        yield f"  - and {len(lines) - _LINES} more"


def _explained(case: render.WholeCase) -> Iterator[render.Line]:
    """The differences of a case, or the evidence for a run in a log, without the line that repeats the headline."""
    result = case.repeats[0].result
    if result.source is None:
        yield from filter(_is_difference, render.explained(case))
        return
    for finding in render.findings_of(result, decides=True):
        if finding.status in _UNSETTLED:
            yield from list(finding.lines())[1:]


def _is_difference(line: render.Line) -> bool:
    return line.indent >= 4 and any(tone in _DIFFERING for _, tone in line.pieces)


def _head(report: RunReport, tally: render.Tally) -> Iterator[str]:
    document = run_document(report, tally)
    word, tone, text = document["verdict"]
    yield f"<!-- adjudge_version: {re.sub('[^0-9A-Za-z.+]', '', report.run.adjudge_version)} -->"
    yield f"## {_SIGNS.get(tone, '')} {word} {text}"
    if document["criteria"]:
        yield ""
        yield "| criterion | mean | threshold | passed | others |"
        yield "|---|---:|---:|---:|---|"
    for column in document["criteria"][:_ROWS]:
        name = code(column["name"], 80, in_table=True)
        cells = (column["mean"] or "–", column["threshold"] or "–", column["passed"] or "–", column["rest"])
        yield f"| {name} | {' | '.join(cells)} |"
    if (more := len(document["criteria"]) - _ROWS) > 0:
        yield f"\nand {more} more criteria"
    for error in document["errors"][:_WARNINGS]:
        yield f"\n⚠️ {code(error, _LINE)}"
    if report.baseline is not None:
        yield from _changes(compared(report.baseline, report))


def _changes(comparison: Comparison) -> Iterator[str]:
    yield ""
    yield f"### Since run {code(comparison['before'], _NAME)}: {comparison['text']}"
    yield ""
    for note in comparison["notes"]:
        yield f"- {code(note, _LINE)}"
    for change in comparison["changes"][:_CHANGES]:
        what = f" {code('; '.join(change['what']), _LINE)}" if change["what"] else ""
        yield f"- **{change['words']}** {code(change['name'], _NAME)}{what}"
    if (more := len(comparison["changes"]) - _CHANGES) > 0:
        yield f"- and {more} more"


def _rest(report: RunReport, left_out: int) -> Iterator[str]:
    name = report.run.name
    if left_out:
        yield ""
        yield f"and {left_out:,} more that did not pass: this report has at most {LIMIT:,} characters. All of them:"
        yield code(f"adjudge runs show {name} --output report.html", 2 * _NAME)
    for warning in report.warnings[:_WARNINGS]:
        yield ""
        yield f"warning: {code(warning, 150)}"
    yield ""
    took = f"{report.run.duration:.1f} s, adjudge {code(report.run.adjudge_version, 40)}"
    yield f"<sub>run {code(name, _NAME)}, {took}</sub>"
