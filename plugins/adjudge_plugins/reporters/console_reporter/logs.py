"""Runs in logs for a person: a table of all, then each with its verdicts, their reasons and their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from adjudge.kit import render
from adjudge.kit.evaluation import views_of
from adjudge.model import CaseResult, Status
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.console_reporter.log_tally import LogTally, source_of, was_read
from adjudge_plugins.reporters.console_reporter.screen import Screen, cells, filled

_EXPLAINED: Final = 20
"""Findings explained one by one. Of more than these, those that passed are only counted."""
_NARROW: Final = 24
"""Columns of a criterion's name at the head of a table."""
_LEAST_NAME: Final = 32
"""Columns that a log's name has in a table, however many criteria there are."""
_LOST: Final = 3
"""Kinds of losses that are told of a run."""
_LONGEST_LOSS: Final = 100
"""Characters of one."""

_ORDER: Final[tuple[Status, ...]] = ("FAIL", "error", "UNSURE", "PASS")
_WORDS: Final[dict[Status, str]] = {
    "FAIL": "failed",
    "error": "could not be measured",
    "UNSURE": "undecided",
    "PASS": "passed",
}
_ABSENT: Final = ("-", render.Tone.FAINT)
_WENT_WELL: Final = ("PASS", "not_applicable")


def show_runs(report: RunReport, tally: LogTally, screen: Screen) -> None:
    """Write what was found; the cases are read again, so that memory does not grow with them."""
    if report.run.decides:
        screen.show(_table(tally, screen.width))
        screen.blank()
    several = tally.of_several_runs
    found = tally.counts.total()
    left = _EXPLAINED
    told: set[str] = set()
    for case in report.cases():
        findings = [
            item
            for item in render.findings_of(case.result, decides=report.run.decides)
            if not item.unfinished and (found <= _EXPLAINED or item.status not in _WENT_WELL)
        ][:left]
        left -= len(findings)
        if not report.run.decides and was_read(case.result):
            screen.show(_views(case.result))
            screen.blank()
        elif findings:
            screen.show([_strong(_name_of(several, source_of(case.result), case.result.run))])
            screen.show(_lost(case.result.lost))
        for item in findings:
            screen.show(_indented(_told_once(item, told)))
            screen.blank()
    if rest := found - (_EXPLAINED - left):
        screen.show([render.line(f"and {rest} more; --output FILE.json writes all of them")])
        screen.blank()


def confidence_lines(tally: LogTally) -> Iterator[render.Line]:
    """Show by what confidences were calibrated."""
    return render.confidence_lines(tally.calibrations, others=tally.uncalibrated)


def result_text(report: RunReport, tally: LogTally) -> str:
    """Say what the run comes to, for instance "1 verdict failed, 3 passed   2 runs".

    Of one criterion there is one verdict a run, and "1 failed, 3 passed   4 runs" cannot be misread.
    """
    counts = Counter(tally.counts)
    if counts["FAIL"] or counts["UNSURE"] or counts["PASS"]:  # otherwise every run says so already
        counts["error"] += sum(criterion.error is not None for criterion in report.summary.criteria)
    said = [f"{tally.unfinished} not finished"] if tally.unfinished else []
    present: list[Status] = [name for name in _ORDER if counts[name]]
    named = next((name for name in present if name != "error"), None) if len(tally.names) > 1 else None
    for name in present:
        noun = f" verdict{'' if counts[name] == 1 else 's'}" if name == named else ""
        said.append(f"{counts[name]}{noun} {_WORDS[name]}")
    runs = f"{tally.runs} run{'' if tally.runs == 1 else 's'}"
    return f"{', '.join(said)}   {runs}" if said else f"{runs} aggregated"


# --- the table --------------------------------------------------------------------------


def _table(tally: LogTally, width: int) -> Iterator[render.Line]:
    """One row a run. Criteria whose names do not fit beside one another are numbered, with their names below."""
    names = list(tally.names)
    several = tally.of_several_runs
    rows = [(_name_of(several, row.source, row.run), row) for row in tally.rows]
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
            said, tone = _ABSENT if status is None else (_word(status), render.tone_of(status))
            pieces += ["  ", (filled(said, at, False), tone)]
        yield render.line(*pieces)
    if numbered:
        for head, name in zip(heads, names, strict=True):
            yield render.line((f"{head}  ", render.Tone.FAINT), name, indent=2)


def _word(status: Status) -> str:
    return "n/a" if status == "not_applicable" else status


def _end_of(name: str, width: int) -> str:
    """A name within a width: its end, because that is where the names of logs differ."""
    if cells(name) <= width:
        return name
    kept = len(name)
    while kept and cells(name[-kept:]) > width - 1:
        kept -= 1
    return f"…{name[-kept:]}" if kept else "…"


# --- one by one -------------------------------------------------------------------------


def _name_of(several: set[str], source: str, run: int | None) -> str:
    return render.clean(f"{source} run {run}" if run is not None and source in several else source)


def _told_once(item: render.Finding, told: set[str]) -> Iterator[render.Line]:
    """A finding; what was tried to read one log and has been ``told`` is not told again for the next."""
    tried = "" if item.error is None else item.error.message.partition("\n")[2]
    lines = item.lines(briefly=tried in told)
    told.add(tried)
    return lines


def _strong(name: str) -> render.Line:
    return render.line((name, render.Tone.STRONG))


def _indented(lines: Iterator[render.Line]) -> Iterator[render.Line]:
    for item in lines:
        yield render.Line(item.pieces, item.indent + 2)


def _lost(lost: Sequence[str]) -> Iterator[render.Line]:
    """What the reader could not keep or tell apart; of many kinds the first ones."""
    if lost:
        more = f"; and {len(lost) - _LOST} more" if len(lost) > _LOST else ""
        told = "; ".join(render.shortened(what, _LONGEST_LOSS) for what in lost[:_LOST])
        yield render.line(("not read  ", render.Tone.UNSURE), f"{told}{more}", indent=2)


def _views(case: CaseResult) -> Iterator[render.Line]:
    """What a judge would be given an overview with."""
    steps = f"{case.steps} step{'' if case.steps == 1 else 's'}"
    yield render.line((source_of(case), render.Tone.STRONG), f"  run {case.run}, {steps}")
    if case.task:
        yield render.line(("task  ", render.Tone.FAINT), render.shortened(case.task, 300), indent=2)
    yield from _lost(case.lost)
    for view in views_of(case):
        yield render.line((view.granularity, render.Tone.STRONG), indent=2)
        for text in view.aggregated_content.splitlines():
            yield render.line(text, indent=4)
