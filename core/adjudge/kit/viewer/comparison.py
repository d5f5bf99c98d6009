"""Compares two runs: cases that got worse or better, and other changes."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final, Literal, TypeAlias

from adjudge.kit.render.lines import Tone
from adjudge.kit.render.repeats import whole_cases
from adjudge.kit.render.scores import score_text, threshold_text
from adjudge.kit.viewer.cases import case_row
from adjudge.kit.viewer.documents import Change, Comparison, Row
from adjudge.kit.viewer.runs import criteria_of
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
    rows_before = rows_of(before)
    names_before, names_after = criteria_of(before), criteria_of(after)
    earlier = {row["name"]: row for row in rows_before}
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
        "criteria": _means(before, rows_before, after, rows_after),
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
    moves: list[tuple[str, str]] = []
    for name, (status, shown, score) in zip(names_after, new["cells"], strict=True):
        old_status, old_shown, old_score = before.get(name, ("", "", None))
        if (status, score) == (old_status, old_score):
            continue
        word, old_word = (WORDS["statuses"].get(one, ("not there",))[0] for one in (status, old_status))
        words = f" ({old_word} → {word})" if status != old_status else ""
        what.append(clean(f"{name}: {old_shown or '–'} → {shown or '–'}{words}"))
        moves.append((old_status, status))
    if old["status"] != new["status"]:
        kind = _kind([(old["status"], new["status"])])
        return _change(new["name"], kind, old["status"], new["status"], what or [new["headline"]], new["key"])
    return (
        _change(new["name"], _kind(moves), old["status"], new["status"], what, new["key"]) if what else None
    )


def _kind(moves: Sequence[tuple[str, str]]) -> Kind:
    """The kind of the most important of several changes of a status; a criterion of one run alone changes none."""
    changed = [(old, new) for old, new in moves if old and new and old != new]
    if not changed:
        return "score"
    if any(old == "PASS" for old, _ in changed):
        return "worse"
    return "better" if any(new == "PASS" for _, new in changed) else "other"


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


def _means(
    before: RunReport, rows_before: Sequence[Row], after: RunReport, rows_after: Sequence[Row]
) -> list[tuple[str, str, str, str, str]]:
    """The mean of every criterion in both runs, over the cases with a score, and the difference."""
    earlier, later = _means_of(before, rows_before), _means_of(after, rows_after)
    lower = {item.criterion_name for item in after.summary.criteria if item.lower_is_better}
    means: list[tuple[str, str, str, str, str]] = []
    for name in criteria_of(after):
        old, new = earlier.get(name), later.get(name)
        delta, tone = "", "plain"
        if old is not None and new is not None:
            difference = new - old
            delta = (
                "=" if not difference else f"{'+' if difference > 0 else '−'}{score_text(abs(difference))}"
            )
            if difference:
                tone = "pass" if (difference < 0) == (name in lower) else "fail"
        shown_old, shown_new = ("–" if mean is None else score_text(mean) for mean in (old, new))
        means.append((clean(name), shown_old, shown_new, delta, tone))
    return means


def _means_of(report: RunReport, rows: Sequence[Row]) -> dict[str, float]:
    names = criteria_of(report)
    scores: dict[str, list[float]] = {name: [] for name in names}
    for row in rows:
        for name, (_, _, score) in zip(names, row["cells"], strict=True):
            if score is not None:
                scores[name].append(score)
    return {name: fmean(found) for name, found in scores.items() if found}


def _notes(before: RunReport, after: RunReport) -> list[str]:
    """Notes about other differences, such as agents and thresholds, which make scores hard to compare."""
    notes: list[str] = []
    agents = [str((report.run.agent or {}).get("target") or "") for report in (before, after)]
    if agents[0] != agents[1]:
        notes.append(f"agent: {agents[0] or 'none'} → {agents[1] or 'none'}")
    if before.run.adjudge_version != after.run.adjudge_version:
        notes.append(f"adjudge: {before.run.adjudge_version} → {after.run.adjudge_version}")
    old_thresholds, new_thresholds = _thresholds(before), _thresholds(after)
    for name, new in new_thresholds.items():
        old = old_thresholds.get(name, new)
        if old != new:
            notes.append(f"threshold of {name}: {old} → {new}")
    for report in (before, after):
        if report.summary.incomplete:
            notes.append(f"run {report.run.name} is not finished")
    return [clean(note) for note in notes]


def _thresholds(report: RunReport) -> dict[str, str]:
    """The thresholds of every criterion; several, if its eval sets have different ones."""
    found: dict[str, set[float | None]] = {}
    for item in report.summary.criteria:
        found.setdefault(item.criterion_name, set()).add(item.threshold)
    return {
        name: ", ".join(
            "none" if value is None else threshold_text(value)
            for value in sorted(values, key=lambda value: (value is not None, value or 0.0))
        )
        for name, values in found.items()
    }
