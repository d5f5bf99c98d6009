"""Prints a run for people: failures first, the verdict last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import BinaryIO, Final

from adjudge.kit import render
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.console_reporter.screen import Screen, all_of_them, cells, filled

_EXPLAINED: Final = 10
"""The number of cases that are explained in full; the others are counted."""
_WARNINGS: Final = 10
_UNSETTLED: Final = ("FAIL", "error", "UNSURE")


class ConsoleReporter:
    """Prints explanations of failures, a table of criteria per eval set, and the verdict in the last line.

    The end of the output is what a person reads first on a terminal, so the explanations come before the
    tables. The cases are read once, and memory does not grow with their number.
    """

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the report."""
        screen = Screen(stream)
        ending = _cases(report, screen) if report.run.logs is None else _runs_in_logs(report, screen)
        if report.baseline is not None:
            screen.show(_changes(report, report.baseline))
        screen.show(_warnings(report))
        screen.show(_nothing_measured(report))
        screen.show(_next_steps(report, ending.retryable))
        screen.show([_verdict(report, ending.said)])


@dataclass(frozen=True, slots=True)
class _Ending:
    """The data for the last lines."""

    said: str
    retryable: int
    """The number of errors that a resumed run tries again."""


def _cases(report: RunReport, screen: Screen) -> _Ending:
    """Explain the cases that did not pass, and show a table of criteria for each eval set."""
    tally = render.Tally()
    hidden = 0
    shown = 0
    for case in render.whole_cases(report):
        tally.add(case)
        if report.detailed:
            screen.show(_in_detail(case))
        elif case.overall.status in _UNSETTLED and not case.unfinished:
            if shown == _EXPLAINED:
                hidden += 1
                continue
            shown += 1
            screen.show([_heading(case), *_indented(render.explained(case))])
            screen.blank()
    if hidden:
        screen.show(all_of_them(report, f"and {hidden} more that did not pass"))
    lower = {criterion.criterion_name for criterion in report.summary.criteria if criterion.lower_is_better}
    for eval_set in tally.eval_sets:
        screen.show(_eval_set(eval_set, lower))
        screen.blank()
    _judges(report, screen, [])
    return _Ending(render.cases_text(report, tally), tally.retryable)


def _runs_in_logs(report: RunReport, screen: Screen) -> _Ending:
    """Print a table of the runs, and explain the findings in them."""
    from adjudge_plugins.reporters.console_reporter import logs

    tally = render.log_tally_of(report)
    logs.show_runs(report, tally, screen)
    _judges(report, screen, logs.confidence_lines(tally))
    return _Ending(render.runs_text(report, tally), tally.retryable)


def _judges(report: RunReport, screen: Screen, confidence: Iterable[render.Line]) -> None:
    """Print the number of judge calls, warnings about judges, and confidences."""
    if report.summary.judges:
        screen.show(render.judge_lines(report.summary.judges))
        screen.show(confidence)
        screen.blank()


def _heading(case: render.WholeCase) -> render.Line:
    status = case.overall.status
    return render.line((f"{status.upper():<7}", render.tone_of(status)), (case.name, render.Tone.STRONG))


def _indented(lines: Iterator[render.Line]) -> Iterator[render.Line]:
    for item in lines:
        yield render.Line(item.pieces, item.indent + 2)


def _in_detail(case: render.WholeCase) -> Iterator[render.Line]:
    yield _heading(case)
    for reported in case.repeats:
        if len(case.repeats) > 1:
            result = reported.result
            yield render.line(
                f"repeat {result.repeat}  ", (result.status, render.tone_of(result.status)), indent=2
            )
        yield from _indented(render.transcript(reported))
    yield render.line()


# --- eval sets ----------------------------------------------------------------------------


def _eval_set(eval_set: render.EvalSetTally, lower_is_better: Set[str]) -> Iterator[render.Line]:
    file = f"  {eval_set.file}" if eval_set.file else ""
    yield render.line(
        (eval_set.eval_set_id, render.Tone.STRONG),
        (file, render.Tone.FAINT),
        f"  {render.counts_text(eval_set.counts)}",
    )
    measured = eval_set.cases - eval_set.counts["unfinished"]
    rows = [
        _row(criterion, measured, "<=" if name in lower_is_better else ">=")
        for name, criterion in eval_set.criteria.items()
    ]
    if not rows:
        return
    header = ("criterion", "mean", "threshold", "passed", "")
    widths = [max(cells(row[column]) for row in (header, *rows)) for column in range(4)]
    for row in (header, *rows):
        name, mean, threshold, passed = map(filled, row, widths, (False, True, True, False))
        text = f"{name}  {mean}  {threshold}  {passed}"
        if row is header:
            yield render.line((text, render.Tone.FAINT), indent=2)
        else:
            yield render.line(text, (f"  {row[4]}", render.Tone.FAIL), indent=2)


def _row(criterion: render.CriterionTally, measured: int, relation: str) -> tuple[str, str, str, str, str]:
    # If the agent could not be run, no criterion was measured: these cases count as errors.
    counts = Counter(criterion.counts)
    counts["error"] += measured - criterion.counts.total()
    threshold = criterion.threshold
    mean = "-" if criterion.mean is None else render.score_text(criterion.mean, threshold)
    if threshold is None:
        rest = render.counts_text(counts, without=("informational",))
        return criterion.name, mean, "-", "informational", rest
    bound = f"{relation} {render.threshold_text(threshold)}"
    passed = f"{counts['PASS']}/{counts.total() - counts['not_applicable']}"
    return criterion.name, mean, bound, passed, render.counts_text(counts, without=("PASS",))


def _changes(report: RunReport, baseline: RunReport) -> Iterator[render.Line]:
    """Print the differences from an earlier run, regressions first."""
    from adjudge.kit.viewer import compared

    found = compared(baseline, report)
    yield render.line("since run ", (found["before"], render.Tone.STRONG), f": {found['text']}")
    for note in found["notes"]:
        yield render.line(("note: ", render.Tone.UNSURE), note, indent=2)
    shown = len(found["changes"]) if report.detailed else _EXPLAINED
    for change in found["changes"][:shown]:
        statuses = " → ".join(filter(None, (change["before"], change["after"])))
        yield render.line(
            f"{change['words']:<12}", (change["name"], render.Tone.STRONG), f"  {statuses}", indent=2
        )
        for what in change["what"]:
            yield render.line((what, render.Tone.FAINT), indent=14)
    if len(found["changes"]) > shown:
        yield render.line(f"and {len(found['changes']) - shown} more", indent=2)
    yield render.line()


# --- the end ------------------------------------------------------------------------------


def _warnings(report: RunReport) -> Iterator[render.Line]:
    shown = len(report.warnings) if report.detailed else _WARNINGS
    for warning in report.warnings[:shown]:
        yield render.line(("warning: ", render.Tone.UNSURE), warning)
    if len(report.warnings) > shown:
        yield render.line(f"and {len(report.warnings) - shown} more warnings")


def _nothing_measured(report: RunReport) -> Iterator[render.Line]:
    """Print gating criteria that measured nothing: their eval sets are not covered."""
    for criterion in report.summary.criteria:
        if criterion.error is not None:
            yield render.line(("error: ", render.Tone.FAIL), criterion.error.message)


def _next_steps(report: RunReport, retryable: int) -> Iterator[render.Line]:
    """Print the commands that may help next."""
    name = report.run.name
    if report.run.finished_at is None:
        yield _step("not finished:", f"adjudge resume {name}")
    elif retryable:
        yield _step(f"to try {retryable} of the errors again:", f"adjudge resume {name}")
    if report.run.logs is None and report.summary.verdict != "PASS" and not report.detailed:
        yield _step("to see every turn:", f"adjudge runs show {name} --print_detailed_results")


def _step(what: str, command: str) -> render.Line:
    return render.line(f"{what}  ", (command, render.Tone.COMMAND))


def _verdict(report: RunReport, said: str) -> render.Line:
    return render.line(
        (f"{render.verdict_word(report)}  ", render.tone_of(report.summary.status)),
        f"{said}   run {report.run.name}   {report.run.duration:.1f} s",
    )
