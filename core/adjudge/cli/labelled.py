"""``adjudge judges try MODEL --labelled``: how well a model meets labels, as tables and as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from adjudge.extension.loader import Extensions
from adjudge.extension.tables import one_line, show_table
from adjudge.extension.terminal import say, say_json
from adjudge.model.confusion import (
    accuracy,
    balanced_accuracy,
    chance_probability,
    doubt,
    kappa,
    true_negative_rate,
    true_positive_rate,
)
from adjudge.model.labelled import Confusion, JudgeMeasurement, LabelledGroup
from adjudge.runner.judge_benchmark import JudgedRow, JudgeReport, measure_judge
from adjudge.runner.judge_warnings import doubts_of


def run_labelled(
    model: str,
    files: Sequence[Path],
    extensions: Extensions,
    *,
    num_samples: int,
    max_calls: int | None,
    as_json: bool,
) -> int:
    """Measure a model and print what came out.

    Returns:
        The exit status: 3 where something could not be measured.
    """
    progress = _Progress()
    try:
        report = asyncio.run(
            measure_judge(
                model,
                files,
                extensions,
                Path.cwd(),
                num_samples=num_samples,
                max_calls=max_calls,
                started=progress.started,
                judged=progress.judged,
            )
        )
    finally:
        progress.stop()
    if as_json:
        say_json(json.dumps(_document(report), indent=2, ensure_ascii=False))
    else:
        _show(report)
    return 3 if any(row.why_not for row in report.rows) else 0


class _Progress:
    """A bar on a terminal's standard error; nothing elsewhere."""

    def __init__(self) -> None:
        self._bar: Any = None

    def started(self, turns: int) -> None:
        if sys.stderr.isatty():
            self._bar = click.progressbar(length=turns, file=sys.stderr, label="labelled turns")
            self._bar.__enter__()

    def judged(self) -> None:
        if self._bar is not None:
            self._bar.update(1)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


# --- for a person -------------------------------------------------------------------------


def _show(report: JudgeReport) -> None:
    calls = report.calls
    versions = sorted({name for item in report.measurements for name in item.model_versions})
    answered = f" ({', '.join(versions)})" if versions else ""
    say(f"{report.judge}{answered}: {calls.calls} calls, {calls.cached} answers known already")
    say()
    rows = [row for item in report.measurements for row in _rows_of(item)]
    everything = sum((item.counts for item in report.measurements), Confusion())
    missing = sum(item.not_measured for item in report.measurements)
    rows.append(("all", "all", "all", *_figures(everything, missing)))
    show_table(
        (
            "criterion",
            "language",
            "difficulty",
            "measured",
            "accuracy",
            "kappa",
            "TPR",
            "TNR",
            "not measured",
        ),
        rows,
    )
    _show_unmeasured([row for row in report.rows if row.why_not])
    doubts = [said for item in report.measurements for said in doubts_of(item)]
    if doubts:
        say("\nruns with this judge will warn:")
    for said in doubts:
        say(f"  {said}")


def _show_unmeasured(rows: Sequence[JudgedRow]) -> None:
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        by_reason.setdefault(one_line(row.why_not or ""), []).append(row.turn.row_id)
    if by_reason:
        say(f"\nnot measured: {len(rows)}")
    for reason, ids in by_reason.items():
        say(f"  {reason}")
        say(textwrap.fill(", ".join(ids), 100, initial_indent="    ", subsequent_indent="    "))


def _rows_of(item: JudgeMeasurement) -> Iterator[tuple[str, ...]]:
    name = item.criterion.partition("/")[2]
    for group in item.groups:
        yield name, group.language, group.difficulty, *_figures(group.counts, group.not_measured)
    if len(item.groups) > 1:
        yield name, "all", "all", *_figures(item.counts, item.not_measured)


def _figures(counts: Confusion, not_measured: int) -> tuple[str, ...]:
    values = (accuracy(counts), kappa(counts), true_positive_rate(counts), true_negative_rate(counts))
    return (
        str(counts.total),
        *("-" if value is None else f"{value:.2f}" for value in values),
        str(not_measured) if not_measured else "",
    )


# --- for a program ------------------------------------------------------------------------


def _document(report: JudgeReport) -> dict[str, Any]:
    everything = sum((item.counts for item in report.measurements), Confusion())
    return {
        "judge": report.judge,
        "criteria": [
            {
                **measurement_facts(item),
                "groups": [_group_facts(group) for group in item.groups],
            }
            for item in report.measurements
        ],
        "total": {
            **_counted(everything),
            "not_measured": sum(item.not_measured for item in report.measurements),
        },
        "calls": report.calls.model_dump(mode="json", exclude={"items", "unanimous"}),
        "turns": [
            {
                "file": row.turn.file,
                "line": row.turn.line,
                "id": row.turn.row_id,
                "criterion": row.criterion,
                "language": row.turn.language,
                "difficulty": row.turn.difficulty,
                "label": row.turn.label,
                "verdict": None if row.why_not else row.result.status,
                "score": row.result.score,
                "not_measured": row.why_not,
            }
            for row in report.rows
        ],
    }


def measurement_facts(item: JudgeMeasurement) -> dict[str, Any]:
    """What was measured of a judge on one criterion, for programs."""
    return {
        "judge": item.judge,
        "criterion": item.criterion,
        "criterion_version": item.criterion_version,
        "model_versions": list(item.model_versions),
        "num_samples": item.num_samples,
        "measured_at": item.measured_at,
        "labels": item.labels,
        **_counted(item.counts),
        "not_measured": item.not_measured,
        "doubt": doubt(item.counts),
    }


def _group_facts(group: LabelledGroup) -> dict[str, Any]:
    return {
        "language": group.language,
        "difficulty": group.difficulty,
        **_counted(group.counts),
        "not_measured": group.not_measured,
    }


def _counted(counts: Confusion) -> dict[str, Any]:
    return {
        "measured": counts.total,
        "counts": counts.model_dump(),
        "accuracy": accuracy(counts),
        "balanced_accuracy": balanced_accuracy(counts),
        "kappa": kappa(counts),
        "true_positive_rate": true_positive_rate(counts),
        "true_negative_rate": true_negative_rate(counts),
        "chance_probability": chance_probability(counts),
    }


def measurements_in_short(measurements: Iterable[JudgeMeasurement]) -> list[str]:
    """One line a measurement, for the listing of judges."""
    lines: list[str] = []
    for item in measurements:
        value = kappa(item.counts)
        name = item.criterion.partition("/")[2]
        figure = "kappa undefined" if value is None else f"kappa {value:.2f}"
        lines.append(f"{item.judge} on {name}: {figure}, {item.counts.total} labels, {item.measured_at[:10]}")
    return lines
