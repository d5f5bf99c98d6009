"""Writes a run for a person: what went wrong first, the verdict last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import BinaryIO, Final

from adjudge.kit import render
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.console_reporter.screen import Screen, cells, filled
from adjudge_plugins.reporters.console_reporter.tally import CriterionTally, EvalSetTally, Tally, counts_text

_EXPLAINED: Final = 10
"""Cases explained in full; the others are counted."""
_WARNINGS: Final = 10
_UNSETTLED: Final = ("FAIL", "error", "UNSURE")


class ConsoleReporter:
    """Failures explained, a table of criteria for each eval set, and the verdict in the last line.

    What a person reads first is what stands last on a terminal; so the explanations come before the
    tables. One pass over the cases; memory does not grow with them.
    """

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the report."""
        screen = Screen(stream)
        ending = _cases(report, screen) if report.run.logs is None else _runs_in_logs(report, screen)
        screen.show(_warnings(report))
        screen.show(_nothing_measured(report))
        screen.show(_next_steps(report, ending.retryable))
        screen.show([_verdict(report, ending.said)])


@dataclass(frozen=True, slots=True)
class _Ending:
    """What the last lines say of everything that was shown."""

    said: str
    retryable: int
    """Errors that a resumed run tries again."""


def _cases(report: RunReport, screen: Screen) -> _Ending:
    """Explain the cases that did not pass, and show a table of criteria for each eval set."""
    tally = Tally()
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
        screen.show(_hidden(hidden, report))
    lower = {criterion.criterion_name for criterion in report.summary.criteria if criterion.lower_is_better}
    for eval_set in tally.eval_sets:
        screen.show(_eval_set(eval_set, lower))
        screen.blank()
    _judges(report, screen, [])
    return _Ending(_cases_text(report, tally), tally.retryable)


def _runs_in_logs(report: RunReport, screen: Screen) -> _Ending:
    """Show a table of the runs, and explain what was found in them."""
    from adjudge_plugins.reporters.console_reporter import logs
    from adjudge_plugins.reporters.console_reporter.log_tally import tally_of

    tally = tally_of(report)
    logs.show_runs(report, tally, screen)
    _judges(report, screen, logs.confidence_lines(tally))
    return _Ending(logs.result_text(report, tally), tally.retryable)


def _judges(report: RunReport, screen: Screen, confidence: Iterable[render.Line]) -> None:
    """What judges did, and how sure they are."""
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


def _hidden(hidden: int, report: RunReport) -> Iterator[render.Line]:
    name = report.run.name
    yield render.line(f"and {hidden} more that did not pass; these show all of them:")
    for options in ("--print_detailed_results", "--output result.json"):
        yield render.line((f"adjudge runs show {name} {options}", render.Tone.COMMAND), indent=2)
    yield render.line()


# --- eval sets ----------------------------------------------------------------------------


def _eval_set(eval_set: EvalSetTally, lower_is_better: Set[str]) -> Iterator[render.Line]:
    file = f"  {eval_set.file}" if eval_set.file else ""
    yield render.line(
        (eval_set.eval_set_id, render.Tone.STRONG),
        (file, render.Tone.FAINT),
        f"  {counts_text(eval_set.counts)}",
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


def _row(criterion: CriterionTally, measured: int, relation: str) -> tuple[str, str, str, str, str]:
    # Where the agent could not be run, nothing could be measured.
    counts = Counter(criterion.counts)
    counts["error"] += measured - criterion.counts.total()
    threshold = criterion.threshold
    mean = "-" if criterion.mean is None else render.score_text(criterion.mean, threshold)
    if threshold is None:
        rest = counts_text(counts, without=("informational",))
        return criterion.name, mean, "-", "informational", rest
    bound = f"{relation} {render.threshold_text(threshold)}"
    passed = f"{counts['PASS']}/{counts.total() - counts['not_applicable']}"
    return criterion.name, mean, bound, passed, counts_text(counts, without=("PASS",))


# --- the end ------------------------------------------------------------------------------


def _warnings(report: RunReport) -> Iterator[render.Line]:
    for warning in report.warnings[:_WARNINGS]:
        yield render.line(("warning: ", render.Tone.UNSURE), warning)
    if len(report.warnings) > _WARNINGS:
        yield render.line(f"and {len(report.warnings) - _WARNINGS} more warnings")


def _nothing_measured(report: RunReport) -> Iterator[render.Line]:
    """Criteria that decide and had nothing to measure: their eval sets are not covered."""
    for criterion in report.summary.criteria:
        if criterion.error is not None:
            yield render.line(("error: ", render.Tone.FAIL), criterion.error.message)


def _next_steps(report: RunReport, retryable: int) -> Iterator[render.Line]:
    """The commands that help now."""
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
    summary = report.summary
    if summary.incomplete:
        shown = "INCOMPLETE"
    elif not report.run.decides and summary.status == "informational":
        shown = "DONE"
    else:
        shown = summary.status.upper()
    return render.line(
        (f"{shown}  ", render.tone_of(summary.status)),
        f"{said}   run {report.run.name}   {report.run.duration:.1f} s",
    )


def _cases_text(report: RunReport, tally: Tally) -> str:
    """Say what the run comes to, for instance "1 of 4 cases failed, 3 passed"."""
    summary = report.summary
    status = summary.status
    cases = f"{summary.cases} case{'' if summary.cases == 1 else 's'}"
    if summary.incomplete:
        others = counts_text(tally.counts, without=("unfinished",))
        unfinished = tally.counts["unfinished"]
        said = f"{unfinished} of {cases} not finished" if unfinished else "the run has not ended"
        said += f", {others}" if others else ""
    elif not summary.cases:
        said = "no case was run"
    elif status == "error" and not summary.counts.get("error"):
        without = sum(criterion.error is not None for criterion in summary.criteria)
        criteria = "1 criterion" if without == 1 else f"{without} criteria"
        said = f"{criteria} measured nothing, {counts_text(tally.counts)}"
    elif status in _UNSETTLED:
        words = {"FAIL": "failed", "error": "could not be measured", "UNSURE": "undecided"}
        others = counts_text(tally.counts, without=(status,))
        said = f"{summary.counts.get(status, 0)} of {cases} {words[status]}" + (
            f", {others}" if others else ""
        )
    else:
        others = counts_text(tally.counts, without=("PASS",))
        said = f"{summary.counts.get('PASS', 0)} of {cases} passed, {others}" if others else f"{cases} passed"
    if summary.repeats > 1:
        said += f", {summary.repeats} repeats each"
    return said
