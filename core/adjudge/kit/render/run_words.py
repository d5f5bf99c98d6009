"""Texts about the result of a run, identical in all reports."""

from __future__ import annotations

from typing import Final

from adjudge.kit.render.judges import counted
from adjudge.kit.render.log_tally import LogTally
from adjudge.kit.render.tally import Tally, counts_text
from adjudge.model.verdict import Status
from adjudge.plugin import RunReport

_ORDER: Final[tuple[Status, ...]] = ("FAIL", "error", "UNSURE", "PASS", "not_applicable")
_WORDS: Final[dict[Status, str]] = {
    "FAIL": "failed",
    "error": "could not be measured",
    "UNSURE": "undecided",
    "PASS": "passed",
    "not_applicable": "not applicable",
}


def verdict_word(report: RunReport) -> str:
    """The result of a run in one word: its status; ``INCOMPLETE``; or ``DONE`` if no criterion has a threshold."""
    summary = report.summary
    if summary.incomplete:
        return "INCOMPLETE"
    if not report.run.decides and summary.status == "informational":
        return "DONE"
    return summary.status.upper()


def status_word(status: Status) -> str:
    """A status as a short text."""
    return "n/a" if status == "not_applicable" else status


def cases_text(report: RunReport, tally: Tally) -> str:
    """The result of a run over cases, for instance "1 of 4 cases failed, 3 passed"."""
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
        said = f"{_without_measurement(report)}, {counts_text(tally.counts)}"
    elif status in ("FAIL", "error", "UNSURE"):
        others = counts_text(tally.counts, without=(status,))
        said = f"{summary.counts.get(status, 0)} of {cases} {_WORDS[status]}" + (
            f", {others}" if others else ""
        )
    else:
        others = counts_text(tally.counts, without=("PASS",))
        said = f"{summary.counts.get('PASS', 0)} of {cases} passed, {others}" if others else f"{cases} passed"
    if summary.repeats > 1:
        said += f", {summary.repeats} repeats each"
    return said


def runs_text(report: RunReport, tally: LogTally) -> str:
    """The result of a run over logs, for instance "1 verdict failed, 3 passed   2 runs, 1 log not read".

    With a single criterion there is one verdict per run, so the text is "1 failed, 3 passed   4 runs".
    """
    counts = tally.counts
    said = [f"{tally.unfinished} not finished"] if tally.unfinished else []
    present: list[Status] = [name for name in _ORDER if counts[name]]
    verdicts = [name for name in present if name not in ("error", "not_applicable")]
    named = verdicts[0] if verdicts and len(tally.names) > 1 else None
    for name in present:
        noun = f" verdict{'' if counts[name] == 1 else 's'}" if name == named else ""
        said.append(f"{counts[name]}{noun} {_WORDS[name]}")
    # Where no run has a verdict, every run says so already.
    if verdicts and any(criterion.error is not None for criterion in report.summary.criteria):
        said.append(_without_measurement(report))
    runs = counted(tally.runs, "run")
    if not said and tally.runs:
        runs += " aggregated"
    unread = [
        f"{counted(count, noun)} not {done}"
        for count, noun, done in ((tally.unread_logs, "log", "read"), (tally.unread_runs, "run", "judged"))
        if count
    ]
    return "   ".join(filter(None, [", ".join(said), ", ".join([runs, *unread])]))


def _without_measurement(report: RunReport) -> str:
    """Say how many criteria applied to nothing, for instance "1 criterion measured nothing"."""
    without = sum(criterion.error is not None for criterion in report.summary.criteria)
    return f"{'1 criterion' if without == 1 else f'{without} criteria'} measured nothing"
