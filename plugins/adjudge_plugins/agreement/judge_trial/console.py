"""Shows the result of ``adjudge judges try MODEL --labelled`` as tables and as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from adjudge.plugin import say, say_json, show_table
from adjudge_plugins.agreement.judge_trial.measurement import measure_judge
from adjudge_plugins.agreement.judge_trial.report import (
    JudgedRow,
    JudgeMeasurement,
    JudgeReport,
    LabelledGroup,
    doubts_of,
    figures_of,
    measurement_facts,
)
from adjudge_plugins.agreement.statistics.confusion import (
    Confusion,
    accuracy,
    kappa,
    true_negative_rate,
    true_positive_rate,
)


def run_labelled(
    model: str,
    files: Sequence[Path],
    no_plugins: Sequence[str],
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
                num_samples=num_samples,
                max_calls=max_calls,
                no_plugins=no_plugins,
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

    def judged(self, turns: int) -> None:
        if self._bar is None and sys.stderr.isatty():
            self._bar = click.progressbar(length=turns, file=sys.stderr, label="labelled turns")
            self._bar.__enter__()
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
        by_reason.setdefault(" ".join((row.why_not or "").split()), []).append(row.turn.row_id)
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
            **figures_of(everything),
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


def _group_facts(group: LabelledGroup) -> dict[str, Any]:
    return {
        "language": group.language,
        "difficulty": group.difficulty,
        **figures_of(group.counts),
        "not_measured": group.not_measured,
    }
