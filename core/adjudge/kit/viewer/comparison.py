"""Compares two runs: cases that got worse or better, and other changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from adjudge.kit.render.lines import Tone
from adjudge.kit.render.repeats import whole_cases
from adjudge.kit.render.scores import score_text, threshold_text
from adjudge.kit.viewer.cases import case_row
from adjudge.kit.viewer.documents import Change, Column, Comparison, Row
from adjudge.kit.viewer.runs import columns_of, criteria_of
from adjudge.kit.viewer.statuses import WORDS
from adjudge.model.printable import clean
from adjudge.plugin import RunReport

Kind: TypeAlias = Literal["worse", "better", "other", "score", "new", "gone"]

_ORDER: Final[tuple[Kind, ...]] = ("worse", "other", "gone", "new", "better", "score")
"""The kinds of changes in the order in which they are shown."""
_WORDS: Final[dict[Kind, str]] = {
    "worse": "got worse",
    "better": "got better",
    "other": "changed",
    "gone": "gone",
    "new": "new",
    "score": "other score",
}
_COUNTED: Final[dict[Kind, str]] = {"score": "with another score"}
_TONES: Final[dict[Kind, Tone]] = {
    "worse": Tone.FAIL,
    "better": Tone.PASS,
    "other": Tone.UNSURE,
    "gone": Tone.UNSURE,
    "new": Tone.FAINT,
    "score": Tone.FAINT,
}


def compared(before: RunReport, after: RunReport, rows: Sequence[Row] | None = None) -> Comparison:
    """Compare an earlier run with a later one by the names of their cases and criteria.

    Args:
        before: The earlier run.
        after: The later run.
        rows: The rows of the later run, if they are known; changes have their keys as links.
    """
    rows_after = rows_of(after) if rows is None else rows
    columns_before = {column["name"]: column for column in columns_of(before)}
    columns_after = columns_of(after)
    names_before = list(columns_before)
    names_after = [column["name"] for column in columns_after]
    earlier = {row["name"]: row for row in rows_of(before)}
    changes: list[Change] = []
    for row in rows_after:
        old = earlier.pop(row["name"], None)
        if old is None:
            changes.append(_change(row["name"], "new", "", row["status"], [], row["key"]))
        elif (change := _changed(old, names_before, row, names_after)) is not None:
            changes.append(change)
    same = len(rows_after) - len(changes)
    changes += [_change(row["name"], "gone", row["status"], "", [], "") for row in earlier.values()]
    changes.sort(key=lambda change: _ORDER.index(change["kind"]))
    counts: dict[Kind, int] = {kind: sum(change["kind"] == kind for change in changes) for kind in _ORDER}
    told = [f"{count} {_COUNTED.get(kind, _WORDS[kind])}" for kind, count in counts.items() if count]
    return {
        "before": clean(before.run.name),
        "after": clean(after.run.name),
        "text": ", ".join([*told, f"{same} unchanged"]),
        "criteria": [_mean(columns_before, column, before, after) for column in columns_after],
        "changes": changes,
        "same": same,
        "notes": _notes(before, after),
    }


def rows_of(report: RunReport) -> list[Row]:
    """The rows of all cases of a run."""
    columns = criteria_of(report)
    return [case_row(case, columns, "") for case in whole_cases(report)]


def _changed(old: Row, names_before: list[str], new: Row, names_after: list[str]) -> Change | None:
    before = dict(zip(names_before, old["cells"], strict=True))
    what: list[str] = []
    for name, (status, shown, score) in zip(names_after, new["cells"], strict=True):
        old_status, old_shown, old_score = before.get(name, ("", "", None))
        if (status, score) == (old_status, old_score):
            continue
        word, old_word = (WORDS["statuses"].get(one, ("not there",))[0] for one in (status, old_status))
        words = f" ({old_word} → {word})" if status != old_status else ""
        what.append(f"{name}: {old_shown or '–'} → {shown or '–'}{words}")
    if old["status"] == new["status"]:
        return _change(new["name"], "score", old["status"], new["status"], what, new["key"]) if what else None
    kind: Kind = "other"
    if old["status"] == "PASS":
        kind = "worse"
    elif new["status"] == "PASS":
        kind = "better"
    return _change(new["name"], kind, old["status"], new["status"], what or [new["headline"]], new["key"])


def _change(name: str, kind: Kind, before: str, after: str, what: list[str], key: str) -> Change:
    return {
        "name": name,
        "before": before,
        "after": after,
        "kind": kind,
        "words": _WORDS[kind],
        "tone": _TONES[kind].value,
        "what": what,
        "key": key,
    }


def _mean(
    before: Mapping[str, Column], column: Column, run_before: RunReport, run_after: RunReport
) -> tuple[str, str, str, str, str]:
    name = column["name"]
    old = before.get(name)
    earlier, later = _mean_of(run_before, name), _mean_of(run_after, name)
    delta, tone = "", "plain"
    if earlier is not None and later is not None:
        difference = later - earlier
        delta = "=" if not difference else f"{'+' if difference > 0 else '−'}{score_text(abs(difference))}"
        if difference:
            lower = any(
                item.lower_is_better for item in run_after.summary.criteria if item.criterion_name == name
            )
            tone = "pass" if (difference < 0) == lower else "fail"
    return name, (old["mean"] if old else "") or "–", column["mean"] or "–", delta, tone


def _mean_of(report: RunReport, name: str) -> float | None:
    return next((item.mean for item in report.summary.criteria if clean(item.criterion_name) == name), None)


def _notes(before: RunReport, after: RunReport) -> list[str]:
    """Notes about other differences, such as agents and thresholds, which make scores hard to compare."""
    notes: list[str] = []
    agents = [str((report.run.agent or {}).get("target") or "") for report in (before, after)]
    if agents[0] != agents[1]:
        notes.append(f"agent: {agents[0] or 'none'} → {agents[1] or 'none'}")
    if before.run.adjudge_version != after.run.adjudge_version:
        notes.append(f"adjudge: {before.run.adjudge_version} → {after.run.adjudge_version}")
    thresholds = [
        {item.criterion_name: item.threshold for item in report.summary.criteria}
        for report in (before, after)
    ]
    for name, threshold in thresholds[1].items():
        old = thresholds[0].get(name, threshold)
        if old != threshold:
            texts = ("none" if value is None else threshold_text(value) for value in (old, threshold))
            notes.append(f"threshold of {name}: {' → '.join(texts)}")
    for report in (before, after):
        if report.summary.incomplete:
            notes.append(f"run {report.run.name} is not finished")
    return [clean(note) for note in notes]
