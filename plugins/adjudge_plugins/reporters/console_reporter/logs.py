"""Verdicts on logs for a person: a table of all, then each with its reason and its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import groupby
from typing import Final, Literal, TypeAlias

from adjudge.kit import render
from adjudge.kit.judged_logs import JudgedLog, JudgedLogs, LogError
from adjudge.model import EvaluationResult, Inapplicable, Status
from adjudge_plugins.reporters.console_reporter.screen import Screen, cells, filled

_EXPLAINED: Final = 20
"""Verdicts explained one by one. Of more than these, those that passed are only counted."""
_NARROW: Final = 24
"""Columns of a criterion's name at the head of a table."""
_LEAST_NAME: Final = 32
"""Columns that a log's name has in a table, however many criteria there are."""
_LOST: Final = 3
"""Kinds of losses that are told of a run."""
_LONGEST_LOSS: Final = 100
"""Characters of one."""

_Shown: TypeAlias = Status | Literal["-", "n/a"]
_Item: TypeAlias = EvaluationResult | Inapplicable | LogError

_ORDER: Final = ("FAIL", "error", "UNSURE", "PASS")
_WORDS: Final = {"FAIL": "failed", "error": "could not be measured", "UNSURE": "undecided", "PASS": "passed"}


def show_logs(judged: JudgedLogs, screen: Screen) -> None:
    """Write everything."""
    if judged.criteria or judged.measured:
        screen.show(_table(judged, screen.width))
        screen.blank()
        _explain(judged, screen)
    else:
        for log in judged.logs:
            screen.show(_views(log))
            screen.blank()
        told: set[str] = set()
        for error in judged.errors:
            screen.show([_source(error.source), *_indented(_error_lines(error, told))])
            screen.blank()
    if judged.judges:
        screen.show(render.judge_lines(judged.judges))
        screen.show(render.confidence_lines(judged))
        screen.blank()
    for warning in judged.warnings:
        screen.show([render.line(("warning: ", render.Tone.UNSURE), warning)])
    screen.show([_end(judged)])


# --- the table --------------------------------------------------------------------------


def _table(judged: JudgedLogs, width: int) -> Iterator[render.Line]:
    """One row a run. Criteria whose names do not fit beside one another are numbered, with their names below."""
    names = [item.name for item in judged.criteria] + [item.name for item in judged.measured]
    several = _of_several_runs(judged)
    rows = [(_name_of(several, source, run), statuses) for source, run, statuses in _rows(judged, names)]
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
    for name, statuses in rows:
        pieces: list[render.Piece] = [filled(_end_of(name, first), first, False)]
        for status, at in zip(statuses, widths, strict=True):
            tone = render.Tone.FAINT if status == "-" or status == "n/a" else render.tone_of(status)
            pieces += ["  ", (filled(status, at, False), tone)]
        yield render.line(*pieces)
    if numbered:
        for head, name in zip(heads, names, strict=True):
            yield render.line((f"{head}  ", render.Tone.FAINT), name, indent=2)


def _rows(judged: JudgedLogs, names: Sequence[str]) -> Iterator[tuple[str, int | None, list[_Shown]]]:
    """Every run with what became of each criterion, and every log that could not be read."""
    missing = {(error.source, error.run, error.criterion_name) for error in judged.errors}
    for log in judged.logs:
        statuses: dict[str, _Shown] = {
            result.criterion_name: result.verdict.value
            for result in log.results
            if result.verdict is not None
        }
        statuses |= {item.criterion_name: "n/a" for item in log.not_applicable}
        for name in names:
            if (log.source, log.run, name) in missing:
                statuses[name] = "error"
        yield log.source, log.run, [statuses.get(name, "-") for name in names]
    for error in judged.errors:
        if error.criterion_name is None:
            yield error.source, error.run, ["error" for _ in names]


def _end_of(name: str, width: int) -> str:
    """A name within a width: its end, because that is where the names of logs differ."""
    if cells(name) <= width:
        return name
    kept = len(name)
    while kept and cells(name[-kept:]) > width - 1:
        kept -= 1
    return f"…{name[-kept:]}" if kept else "…"


def _of_several_runs(judged: JudgedLogs) -> set[str]:
    return {log.source for log in judged.logs if log.run > 1}


def _name_of(several: Set[str], source: str, run: int | None) -> str:
    return render.clean(f"{source} run {run}" if run is not None and source in several else source)


# --- one by one -------------------------------------------------------------------------


def _explain(judged: JudgedLogs, screen: Screen) -> None:
    found: list[tuple[tuple[str, int | None], _Item]] = []
    for log in judged.logs:
        found += [((log.source, log.run), result) for result in log.results]
        found += [((log.source, log.run), item) for item in log.not_applicable]
    found += [((error.source, error.run), error) for error in judged.errors]
    total = len(found)
    if total > _EXPLAINED:
        found = [item for item in found if not _went_well(item[1])]
    several = _of_several_runs(judged)
    lost: dict[tuple[str, int | None], Sequence[str]] = {
        (log.source, log.run): log.lost for log in judged.logs
    }
    told: set[str] = set()
    for (source, run), items in groupby(found[:_EXPLAINED], key=lambda item: item[0]):
        screen.show([_source(_name_of(several, source, run))])
        screen.show(_lost(lost.get((source, run), ())))
        for _, item in items:
            screen.show(_indented(_lines_of(item, told)))
            screen.blank()
    if rest := total - len(found[:_EXPLAINED]):
        screen.show([render.line(f"and {rest} more; --output FILE.json writes all of them")])
        screen.blank()


def _went_well(item: _Item) -> bool:
    return isinstance(item, Inapplicable) or (isinstance(item, EvaluationResult) and item.verdict == "PASS")


def _lines_of(item: _Item, told: set[str]) -> Iterator[render.Line]:
    if isinstance(item, LogError):
        return _error_lines(item, told)
    if isinstance(item, Inapplicable):
        return render.inapplicable_lines(item)
    return render.judgement_lines(item)


def _error_lines(error: LogError, told: set[str]) -> Iterator[render.Line]:
    """Why something could not be measured; what ``told`` has already is not told again for the next log."""
    tried = error.error.message.partition("\n")[2]
    lines = render.log_error_lines(error, briefly=tried in told)
    told.add(tried)
    return lines


def _source(name: str) -> render.Line:
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


def _views(log: JudgedLog) -> Iterator[render.Line]:
    steps = f"{log.steps} step{'' if log.steps == 1 else 's'}"
    yield render.line((log.source, render.Tone.STRONG), f"  run {log.run}, {steps}")
    if log.task:
        yield render.line(("task  ", render.Tone.FAINT), render.shortened(log.task, 300), indent=2)
    yield from _lost(log.lost)
    for view in log.aggregated_steps:
        yield render.line((view.granularity, render.Tone.STRONG), indent=2)
        for text in view.aggregated_content.splitlines():
            yield render.line(text, indent=4)


# --- the end ----------------------------------------------------------------------------


def _end(judged: JudgedLogs) -> render.Line:
    logs = f"{len(judged.logs)} run{'' if len(judged.logs) == 1 else 's'}"
    seconds = f"{judged.duration:.1f} s"
    status = judged.status
    counts = Counter(str(result.verdict) for log in judged.logs for result in log.results)
    counts["error"] = len(judged.errors)
    said = ", ".join(f"{counts[name]} {_WORDS[name]}" for name in _ORDER if counts[name])
    if status is None:
        return render.line(("DONE  ", render.Tone.STRONG), f"{logs} aggregated   {seconds}")
    return render.line((f"{status.upper()}  ", render.tone_of(status)), f"{said}   {logs}   {seconds}")
