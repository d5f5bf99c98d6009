"""A run over eval sets whose criteria differ: every report says of each threshold what came of it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]

AGENT = """
def agent(text):
    return {"final_response": {"parts": [{"text": "It is sunny in Paris today."}]}}

def worse(text):
    return {"final_response": {"parts": [{"text": "It is."}]}}
"""
CRITERIA: dict[str, dict[str, float]] = {
    "strict": {"response_match_score": 0.9},
    "lenient": {"response_match_score": 0.5, "tool_trajectory_avg_score": 1.0},
    "calls": {"tool_trajectory_avg_score": 1.0},
}


@pytest.fixture
def runs(tmp_path: Path, adjudge: Cli) -> Cli:
    """One folder, three eval sets: two ask for answers by other thresholds, one for calls alone."""
    (tmp_path / "bot.py").write_text(AGENT)
    for name, criteria in CRITERIA.items():
        folder = tmp_path / "evals" / name
        folder.mkdir(parents=True)
        turn = {
            "user_content": {"parts": [{"text": "Weather?"}]},
            "final_response": {"parts": [{"text": "It is sunny in Paris."}]},
            "intermediate_data": {"tool_uses": [{"name": "look", "args": {}}] if name == "calls" else []},
        }
        case = {"eval_id": name, "conversation": [turn]}
        (folder / f"{name}.test.json").write_text(json.dumps({"eval_set_id": name, "eval_cases": [case]}))
        (folder / "test_config.json").write_text(json.dumps({"criteria": criteria}))
    adjudge("eval", "bot:agent", "evals", "--run", "monday")
    adjudge("eval", "bot:worse", "evals", "--run", "tuesday")
    return adjudge


def document(runs: Cli, folder: Path, run: str, *options: str) -> Any:
    """What the page of a run says of it as a whole."""
    runs("runs", "show", run, *options, "--output", "r.html")
    page = (folder / "r.html").read_text(encoding="utf-8")
    [data] = re.findall(r'data-part="run">([^<]+)<', page)
    return json.loads(zlib.decompress(base64.b64decode(data)))


def test_markdown_has_a_row_for_each_threshold_of_a_criterion(runs: Cli, tmp_path: Path) -> None:
    runs("runs", "show", "monday", "--output", "r.md")

    table = [line for line in (tmp_path / "r.md").read_text().splitlines() if line.startswith("| `")]
    assert table == [
        "| `tool_trajectory_avg_score` | 0.50 | ≥ 1.00 | 1/2 | 1 failed |",
        "| `response_match_score` | 0.91 | ≥ 0.50 | 1/1 |  |",
        "| `response_match_score` | 0.91 | ≥ 0.90 | 1/1 |  |",
    ]


def test_the_page_has_a_row_for_each_threshold_and_a_column_for_each_criterion(
    runs: Cli, tmp_path: Path
) -> None:
    run = document(runs, tmp_path, "monday")

    assert [(row["name"], row["threshold"], row["passed"]) for row in run["criteria"]] == [
        ("tool_trajectory_avg_score", "≥ 1.00", "1/2"),
        ("response_match_score", "≥ 0.50", "1/1"),
        ("response_match_score", "≥ 0.90", "1/1"),
    ]
    assert run["columns"] == ["tool_trajectory_avg_score", "response_match_score"]
    assert [[cell[0] for cell in row["cells"]] for row in run["rows"]] == [
        ["FAIL", ""],
        ["PASS", "PASS"],
        ["", "PASS"],
    ]


def test_means_are_compared_over_all_eval_sets(runs: Cli, tmp_path: Path) -> None:
    run = document(runs, tmp_path, "tuesday", "--baseline", "monday")

    assert run["comparison"]["criteria"] == [
        ["tool_trajectory_avg_score", "0.50", "0.50", "=", "plain"],
        ["response_match_score", "0.91", "0.57", "−0.34", "fail"],
    ]
    assert run["comparison"]["notes"] == ["agent: bot:agent → bot:worse"]
    assert [(change["kind"], change["what"]) for change in run["comparison"]["changes"]] == [
        ("worse", ["response_match_score: 0.91 → 0.57 (PASS → FAIL)"]),
        ("score", ["response_match_score: 0.91 → 0.57"]),
    ]


def test_a_criterion_that_fails_now_in_a_case_that_failed_already_made_it_worse(
    runs: Cli, tmp_path: Path
) -> None:
    config = {"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}}
    (tmp_path / "evals" / "calls" / "test_config.json").write_text(json.dumps(config))
    runs("eval", "bot:agent", "evals", "--run", "before")
    runs("eval", "bot:worse", "evals", "--run", "after")

    run = document(runs, tmp_path, "after", "--baseline", "before")
    [worse] = [change for change in run["comparison"]["changes"] if change["name"].endswith(":calls")]
    assert (worse["before"], worse["after"], worse["kind"]) == ("FAIL", "FAIL", "worse")


def test_a_threshold_that_changed_in_one_eval_set_is_noted(runs: Cli, tmp_path: Path) -> None:
    config = {"criteria": {"response_match_score": 0.95}}
    (tmp_path / "evals" / "strict" / "test_config.json").write_text(json.dumps(config))
    runs("eval", "bot:agent", "evals", "--run", "wednesday")

    run = document(runs, tmp_path, "wednesday", "--baseline", "monday")
    assert run["comparison"]["notes"] == ["threshold of response_match_score: 0.50, 0.90 → 0.50, 0.95"]


def test_a_place_of_the_matrix_is_empty_where_a_case_has_no_such_criterion(
    runs: Cli, tmp_path: Path, opened: Any
) -> None:
    runs("runs", "show", "monday", "--output", "r.html")
    page = opened(tmp_path / "r.html").page
    matrix, tip = page.locator(".av-matrix"), page.locator(".av-matrix-tip")

    said: list[str] = []
    for line in (0, 1):
        for case in range(3):
            matrix.hover(position={"x": 24 * case + 12, "y": 18 * line + 9})
            said.append(tip.inner_text().strip())
    assert said == [
        "calls · tool_trajectory_avg_score: FAIL 0.00",
        "lenient · tool_trajectory_avg_score: PASS 1.00",
        "strict · tool_trajectory_avg_score: not there",
        "calls · response_match_score: not there",
        "lenient · response_match_score: PASS 0.91",
        "strict · response_match_score: PASS 0.91",
    ]
