"""Runs in logs on the console: an overview table, then each run with its verdicts, their reasons and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from adjudge.kit import render
from adjudge.kit.evaluation import views_of
from adjudge.model import CaseResult
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.console_reporter.screen import Screen, all_of_them, cells, filled

_EXPLAINED: Final = 20
"""The number of findings that are explained. If there are more, those that passed are only counted."""
_NARROW: Final = 24
"""The width in columns of a criterion's name in a table header."""
_LEAST_NAME: Final = 32
"""The minimum width in columns of a log's name in a table, for any number of criteria."""
_LOST: Final = 3
"""The number of losses that are shown for a run."""
_LONGEST_LOSS: Final = 100
"""The length limit of a loss in characters."""
_LONGEST_TASK: Final = 300
"""The length limit of the task of a run in characters."""

_ABSENT: Final = ("-", render.Tone.FAINT)
_WENT_WELL: Final = ("PASS", "not_applicable")


def show_runs(report: RunReport, tally: render.LogTally, screen: Screen) -> None:
    """Print the findings. The cases are read again, so that memory does not grow with their number.

    A detailed report explains everything and shortens nothing.
    """
    if report.run.decides:
        screen.show(_table(tally, screen.width))
        screen.blank()
    several = tally.of_several_runs
    found = tally.counts.total() + tally.unread_logs + tally.unread_runs
    limit = found if report.detailed else _EXPLAINED
    left = limit
    told: set[str] = set()
    for case in report.cases():
        findings = [
            item
            for item in render.findings_of(case.result, decides=report.run.decides)
            if not item.unfinished and (found <= limit or item.status not in _WENT_WELL)
        ][:left]
        left -= len(findings)
        if not report.run.decides and render.was_read(case.result):
            screen.show(_views(case.result, everything=report.detailed))
            screen.blank()
        elif findings:
            screen.show([_strong(render.run_name(several, render.source_of(case.result), case.result.run))])
            screen.show(_lost(case.result.lost, everything=report.detailed))
        for item in findings:
            screen.show(_indented(_told_once(item, told, everything=report.detailed)))
            screen.blank()
    if rest := found - (limit - left):
        screen.show(all_of_them(report, f"and {rest} more"))


def confidence_lines(tally: render.LogTally) -> Iterator[render.Line]:
    """Print which calibrations were applied to confidences."""
    return render.confidence_lines(tally.calibrations, others=tally.uncalibrated)


# --- the table --------------------------------------------------------------------------


def _table(tally: render.LogTally, width: int) -> Iterator[render.Line]:
    """Print one row per run. Criteria whose names do not fit side by side are numbered, with a legend below."""
    names = list(tally.names)
    several = tally.of_several_runs
    rows = [(render.run_name(several, row.source, row.run), row) for row in tally.rows]
    first = max([cells("log"), *(cells(name) for name, _ in rows)])
    heads = [render.clean(name) for name in names]
    numbered = min(first, _LEAST_NAME) + sum(2 + max(6, cells(head)) for head in heads) > width or any(
        cells(head) > _NARROW for head in heads
    )
    if numbered:
        heads = [f"({number})" for number in range(1, len(names) + 1)]
    widths = [max(6, cells(head)) for head in heads]
    first = min(first, max(_LEAST_NAME, width - sum(2 + at for at in widths)))
    header = "  ".join(
        [
            filled("log", first, False),
            *(filled(head, at, False) for head, at in zip(heads, widths, strict=True)),
        ]
    )
    yield render.line((header, render.Tone.FAINT))
    for name, row in rows:
        pieces: list[render.Piece] = [filled(_end_of(name, first), first, False)]
        for criterion, at in zip(names, widths, strict=True):
            status = row.statuses.get(criterion) or row.otherwise
            said, tone = _ABSENT if status is None else (render.status_word(status), render.tone_of(status))
            pieces += ["  ", (filled(said, at, False), tone)]
        yield render.line(*pieces)
    if numbered:
        for head, name in zip(heads, names, strict=True):
            yield render.line((f"{head}  ", render.Tone.FAINT), name, indent=2)


def _end_of(name: str, width: int) -> str:
    """Shorten a name to a width by cutting its beginning, because names of logs differ at the end."""
    if cells(name) <= width:
        return name
    kept = len(name)
    while kept and cells(name[-kept:]) > width - 1:
        kept -= 1
    return f"…{name[-kept:]}" if kept else "…"


# --- one by one -------------------------------------------------------------------------


def _told_once(item: render.Finding, told: set[str], *, everything: bool) -> Iterator[render.Line]:
    """Print a finding. The list of readers that were tried is printed once: ``told`` has the lists printed so far."""
    tried = "" if item.error is None else item.error.message.partition("\n")[2]
    lines = item.lines(briefly=tried in told, everything=everything)
    told.add(tried)
    return lines


def _strong(name: str) -> render.Line:
    return render.line((name, render.Tone.STRONG))


def _indented(lines: Iterator[render.Line]) -> Iterator[render.Line]:
    for item in lines:
        yield render.Line(item.pieces, item.indent + 2)


def _lost(lost: Sequence[str], *, everything: bool) -> Iterator[render.Line]:
    """Print what the reader could not keep or distinguish; only the first few, unless everything is shown."""
    if lost and everything:
        yield render.line(("not read  ", render.Tone.UNSURE), "; ".join(lost), indent=2)
    elif lost:
        more = f"; and {len(lost) - _LOST} more" if len(lost) > _LOST else ""
        told = "; ".join(render.shortened(what, _LONGEST_LOSS) for what in lost[:_LOST])
        yield render.line(("not read  ", render.Tone.UNSURE), f"{told}{more}", indent=2)


def _views(case: CaseResult, *, everything: bool) -> Iterator[render.Line]:
    """Print the aggregated views of the run."""
    steps = f"{case.steps} step{'' if case.steps == 1 else 's'}"
    yield render.line((render.source_of(case), render.Tone.STRONG), f"  run {case.run}, {steps}")
    if case.task:
        task = case.task if everything else render.shortened(case.task, _LONGEST_TASK)
        yield render.line(("task  ", render.Tone.FAINT), task, indent=2)
    yield from _lost(case.lost, everything=everything)
    for view in views_of(case):
        yield render.line((view.granularity, render.Tone.STRONG), indent=2)
        for text in view.aggregated_content.splitlines():
            yield render.line(text, indent=4)
