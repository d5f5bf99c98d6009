"""Calibration on the recorded verdicts of a real judge: fitted on one half of the tasks, measured on the other.

The labels are the rewards of the benchmarks' own checks by code, which come with the runs; what people say of them is measured
by ``nox -s agreement``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adjudge.cli import cli
from adjudge.kit.calibration import Calibration
from adjudge.model.evaluation import EvaluationResult, GranularityChoice
from adjudge.model.judging import JudgeUse
from adjudge.model.verdict import Verdict
from adjudge.testing.log_runs import log_case, report_of, result_of
from adjudge_plugins.ai_judge.calibration import calibrated
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter

JUDGE = "webjudge_7B"


@pytest.mark.parametrize("fitted_on", [0, 1])
def test_confidence_of_a_real_judge_is_nearer_to_the_truth_on_tasks_that_nothing_was_fitted_to(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fitted_on: int
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = recorded_runs(shared_data)
    raw = {run["id"]: verdict_of(run) for run in runs}
    write_results("raw.json", raw)
    write_labels("labels.jsonl", runs, fitted_on)
    [promised] = agreement("raw.json", "labels.jsonl", "--fit", "fitted.json")
    [fitted] = json.loads(Path("fitted.json").read_text())["calibrations"]

    calibration = Calibration.model_validate(fitted)
    write_results("calibrated.json", {name: calibrated(item, [calibration]) for name, item in raw.items()})
    write_labels("others.jsonl", [run for run in runs if half_of(run) != fitted_on], None)
    [found] = agreement("calibrated.json", "others.jsonl")

    assert found["figures"]["brier"]["value"] < promised["figures"]["brier"]["value"]
    assert found["figures"]["brier"]["value"] == promised["calibrated"]["brier"]["value"]
    assert found["counts"] == promised["counts"]


def recorded_runs(shared_data: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_data / "web_agent_runs" / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        return [run for run in map(json.loads, file) if JUDGE in run["judges"]]


def half_of(run: dict[str, Any]) -> int:
    return hashlib.sha256(run["task_id"].encode()).digest()[0] % 2


def verdict_of(run: dict[str, Any]) -> EvaluationResult:
    """One vote: a posterior of three quarters."""
    return EvaluationResult(
        criterion_name="success",
        verdict=Verdict.PASS if run["judges"][JUDGE]["verdict"] == "success" else Verdict.FAIL,
        reasoning="recorded",
        confidence_score=0.75,
        used_granularity="global_summary",
        granularity=GranularityChoice(name="global_summary", reason="-", chosen_by="rules"),
        criterion_sha256="recorded",
        judging=JudgeUse(models=(f"recorded/{JUDGE}",)),
    )


def write_results(name: str, results: dict[str, EvaluationResult]) -> None:
    cases = [log_case(source, result_of(result)) for source, result in results.items()]
    with Path(name).open("wb") as stream:
        JsonReporter().write(report_of(cases), stream)


def write_labels(name: str, runs: list[dict[str, Any]], fitted_on: int | None) -> None:
    lines = [
        {
            "source": run["id"],
            "criterion": "success",
            "label": "PASS" if run["rule_based_reward"] >= 1 else "FAIL",
            "split": "dev" if half_of(run) == fitted_on else "test",
        }
        for run in runs
    ]
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def agreement(*args: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(cli, ["agreement", *args, "--json"], standalone_mode=False)
    assert done.exception is None, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["criteria"]
    return found
