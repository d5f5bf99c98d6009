"""Figures by ``adjudge agreement``: results and labels as files, the command's report as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from web_runs import WebRun

from adjudge.model import CaseResult, EvaluationResult, Evidence, GranularityChoice, Verdict
from adjudge.model.judging import Decision, JudgeUse
from adjudge.testing.log_runs import log_case, report_of, result_of
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter

Judged = Mapping[str, Mapping[str, EvaluationResult]]
"""Who judged, then the run: what came out. Who judged stands as a criterion."""


class Run(Protocol):
    """What figures need to know of a run."""

    @property
    def run_id(self) -> str: ...

    @property
    def steps(self) -> Sequence[object]: ...


def figures(
    folder: Path,
    runs: Sequence[Run],
    judged: Judged,
    labelled: Sequence[Mapping[str, Any]],
    *,
    wanted: float | None = None,
) -> dict[str, Any]:
    """The report of ``adjudge agreement``, by who judged.

    Args:
        folder: Where the files go; it is made.
        runs: Whatever was judged.
        judged: The results.
        labelled: The lines of the labels.
        wanted: Fit calibrations to the labels of the split ``dev``, with thresholds for this agreement, and measure on the
            other labels.
    """
    folder.mkdir()
    results = folder / "results.json"
    _write_results(results, runs, judged)
    return figures_of(results, labelled, folder, wanted=wanted)


def figures_of(
    results: Path, labelled: Sequence[Mapping[str, Any]], folder: Path, *, wanted: float | None = None
) -> dict[str, Any]:
    """The report of ``adjudge agreement`` on a file of results, by criterion.

    Args:
        results: The JSON of a run.
        labelled: The lines of the labels.
        folder: Where they are written to.
        wanted: As in ``figures``.
    """
    labels = folder / "labels.jsonl"
    labels.write_text("".join(f"{json.dumps(line)}\n" for line in labelled), encoding="utf-8")
    command = [sys.executable, "-m", "adjudge", "agreement", str(results), str(labels), "--json"]
    if wanted is not None:
        command += ["--fit", str(folder / "calibration.json"), "--target-agreement", str(wanted)]
    # What is fitted here is measured and forgotten: no later run is to be calibrated by it.
    forgotten = {**os.environ, "ADJUDGE_HOME": str(folder / "home")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=forgotten)
    if done.returncode:
        sys.exit(done.stderr)
    report: dict[str, Any] = json.loads(done.stdout)
    return {item["criterion_name"]: item for item in report["criteria"]}


def labels(
    runs: Sequence[WebRun],
    judged: Judged,
    *,
    of: Literal["success", "looping"] = "success",
    fit_on: str | None = None,
) -> list[dict[str, Any]]:
    """What people say of the runs, once for everybody who judged them."""
    return [
        {
            "source": run.run_id,
            "criterion": name,
            "label": label,
            "split": "dev" if run.split == fit_on else "test",
        }
        for run in runs
        for name, of_run in judged.items()
        if run.run_id in of_run and (label := run.success if of == "success" else run.looping)
    ]


def of_decisions(members: Sequence[str], decisions: Mapping[str, Decision]) -> dict[str, EvaluationResult]:
    """What a panel decided, as results."""
    return {
        run_id: recorded(_verdict(decision), decision.confidence, tuple(members))
        for run_id, decision in decisions.items()
    }


def _verdict(decision: Decision) -> str:
    if decision.state == "unsure":
        return "UNSURE"
    return "PASS" if decision.value else "FAIL"


def recorded(verdict: str, confidence: float | None = None, models: tuple[str, ...] = ()) -> EvaluationResult:
    """A verdict that adjudge did not reach itself, as a result."""
    return EvaluationResult(
        criterion_name="",
        verdict=Verdict(verdict),
        reasoning="recorded",
        confidence_score=confidence,
        used_granularity="global_summary",
        evidence=Evidence(),
        granularity=GranularityChoice(name="global_summary", reason="recorded", chosen_by="option"),
        criterion_sha256="recorded",
        judging=JudgeUse(models=models),
    )


def _write_results(path: Path, runs: Sequence[Run], judged: Judged) -> None:
    cases: list[CaseResult] = []
    for run in runs:
        found = [
            result_of(of_run[run.run_id]).model_copy(update={"criterion_name": name})
            for name, of_run in judged.items()
            if run.run_id in of_run
        ]
        cases.append(log_case(run.run_id, *found, steps=max(len(run.steps), 1)))
    with path.open("wb") as stream:
        JsonReporter().write(report_of(cases), stream)
