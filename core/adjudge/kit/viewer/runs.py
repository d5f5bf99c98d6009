"""A run for a page: its verdict, its criteria, and facts about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.kit.render.judges import judge_lines
from adjudge.kit.render.log_tally import tally_of as log_tally_of
from adjudge.kit.render.repeats import whole_cases
from adjudge.kit.render.run_words import cases_text, runs_text, verdict_word
from adjudge.kit.render.scores import score_text, threshold_text, tone_of
from adjudge.kit.render.tally import Counted, Tally, counts_text
from adjudge.kit.viewer.cases import case_row, case_view
from adjudge.kit.viewer.documents import (
    VERSION,
    CaseView,
    Comparison,
    CriterionRow,
    Row,
    RunDocument,
    TraceDocument,
)
from adjudge.kit.viewer.statuses import WORDS
from adjudge.kit.viewer.timing import seconds_text
from adjudge.kit.viewer.trace import trace_of
from adjudge.model.printable import clean
from adjudge.model.result import CriterionSummary, RunInfo
from adjudge.model.trajectory import Trajectory
from adjudge.plugin import RunReport


def criteria_of(report: RunReport) -> list[str]:
    """The names of the criteria of a run, in the order of its columns."""
    names = dict.fromkeys(item.criterion_name for item in report.summary.criteria)
    for info in report.run.eval_sets.values():
        names |= dict.fromkeys(info.criteria)
    if report.run.logs is not None:
        names |= dict.fromkeys(report.run.logs.criteria)
    return list(names)


def run_document(
    report: RunReport, tally: Tally, rows: Sequence[Row] = (), comparison: Comparison | None = None
) -> RunDocument:
    """Create the document of a run.

    Args:
        report: The run.
        tally: The tally of its cases, to which every case of ``render.whole_cases`` was added once.
        rows: A row for each case.
        comparison: The comparison with another run.
    """
    run, summary = report.run, report.summary
    noun = "case" if run.logs is None else "run"
    text = cases_text(report, tally) if run.logs is None else runs_text(report, log_tally_of(report))
    return {
        "version": VERSION,
        "kind": "run",
        "words": WORDS,
        "name": clean(run.name),
        "verdict": (verdict_word(report), tone_of(summary.status).value, clean(text).replace("   ", " · ")),
        "noun": noun,
        "facts": _facts(run, summary.exit_status),
        "warnings": [clean(text) for text in report.warnings],
        "errors": [clean(item.error.message) for item in summary.criteria if item.error is not None],
        "judges": [str(item) for item in judge_lines(summary.judges)],
        "counts": [(status, count) for status, count in tally.counts.items() if count],
        "columns": [clean(name) for name in criteria_of(report)],
        "criteria": criteria_rows(report),
        "comparison": comparison,
        "rows": list(rows),
    }


def criteria_rows(report: RunReport) -> list[CriterionRow]:
    """The criteria of a run with their summaries."""
    known: dict[str, list[CriterionSummary | None]] = {}
    for item in report.summary.criteria:
        known.setdefault(item.criterion_name, []).append(item)
    return [_row(name, item) for name in criteria_of(report) for item in known.get(name, [None])]


def _row(name: str, found: CriterionSummary | None) -> CriterionRow:
    counts: dict[Counted, int] = {} if found is None else dict(found.counts.items())
    row: CriterionRow = {
        "name": clean(name),
        "component": "",
        "threshold": "",
        "mean": "",
        "passed": "",
        "rest": "",
        "counts": [(status, count) for status, count in counts.items() if count],
        "error": "",
    }
    if found is None:
        return row
    row["component"] = clean(found.criterion)
    if found.mean is not None:
        row["mean"] = score_text(found.mean, found.threshold)
    if found.error is not None:
        row["error"] = clean(found.error.message)
    applies = sum(counts.values()) - counts.get("not_applicable", 0)
    if found.threshold is None and not counts.get("PASS") and not counts.get("FAIL"):
        row["rest"] = counts_text(counts)
        return row
    if found.threshold is not None:
        relation = "≤" if found.lower_is_better else "≥"
        row["threshold"] = f"{relation} {threshold_text(found.threshold)}"
    row["passed"] = f"{counts.get('PASS', 0)}/{applies}"
    row["rest"] = counts_text(counts, without=("PASS",))
    return row


def _facts(run: RunInfo, exit_status: int) -> list[tuple[str, str]]:
    agent = run.agent or {}
    read = list(run.eval_sets) if run.logs is None else list(run.logs.files)
    facts = {
        "agent": str(agent.get("target") or ""),
        "eval sets" if run.logs is None else "logs": _listed(read),
        "started": run.started_at,
        "finished": run.finished_at or "not finished",
        "took": seconds_text(run.duration),
        "exit status": str(exit_status),
        "adjudge": run.adjudge_version,
        "Python": run.python_version,
        "plan": run.plan_hash,
    }
    return [(name, clean(value)) for name, value in facts.items() if value]


def _listed(names: Sequence[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


@dataclass(frozen=True, slots=True)
class Viewed:
    """A run with the full views of all its cases, in memory."""

    document: RunDocument
    cases: dict[str, CaseView]
    """The views of the cases by the key of their row."""


def viewed(report: RunReport) -> Viewed:
    """Convert a whole run. Convert a large run case by case instead, as the package's docstring describes."""
    tally, columns = Tally(), criteria_of(report)
    rows: list[Row] = []
    cases: dict[str, CaseView] = {}
    for number, case in enumerate(whole_cases(report)):
        key = str(number)
        tally.add(case)
        rows.append(case_row(case, columns, key))
        cases[key] = case_view(case, report.run)
    return Viewed(run_document(report, tally, rows), cases)


def trace_document(trajectory: Trajectory, name: str) -> TraceDocument:
    """Create the document of a trajectory without results."""
    return {
        "version": VERSION,
        "kind": "trace",
        "words": WORDS,
        "name": clean(name),
        "trace": trace_of(trajectory),
    }
