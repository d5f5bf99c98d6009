"""Runs that lack results: every report and the exit status say so, and nothing that is missing looks passed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree

import pytest

Cli = Callable[..., CompletedProcess[str]]

CASES = 8
KILLED_IN = 3
"""The case, from 0, in which the process kills itself."""

DYING_AGENT = """
import os, pathlib, signal, sqlite3, time

def die(attempts):
    # What was answered before is scored and kept meanwhile.
    journal = sqlite3.connect(pathlib.Path(os.environ["ADJUDGE_HOME"]) / "runs" / "killed.sqlite3")
    while journal.execute("SELECT count(*) FROM attempts").fetchone()[0] < attempts:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)

def agent(text, session):
    if text == "question KILLED_IN" and pathlib.Path("deadly").exists():
        die(KILLED_IN * int(pathlib.Path("deadly").read_text()))
    return "wrong" if text == "question 1" and pathlib.Path("failing").exists() else "answer"
""".replace("KILLED_IN", str(KILLED_IN))

DYING_METRIC = """
import os, pathlib, signal

def count(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    if pathlib.Path("deadly").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text(DYING_AGENT)
    cases = [
        {
            "eval_id": f"case-{number}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": f"question {number}"}]},
                    "final_response": {"parts": [{"text": "answer"}]},
                }
            ],
        }
        for number in range(CASES)
    ]
    (tmp_path / "set.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.8}}))
    (tmp_path / "deadly").write_text("1")
    return tmp_path


def run_killed(adjudge: Cli, *options: str) -> None:
    done = adjudge("eval", "bot:agent", "set.evalset.json", "--concurrency", "1", "--run", "killed", *options)
    assert done.returncode == -9, done.stderr


def shown_as(
    adjudge_here: Cli, folder: Path, name: str = "killed"
) -> tuple[dict[str, Any], ElementTree.Element]:
    shown = adjudge_here("runs", "show", name, "--output", "again.json", "--output", "again.xml")
    document = json.loads((folder / "again.json").read_text())
    assert shown.returncode == document["summary"]["exit_status"], shown.stderr
    root = ElementTree.parse(folder / "again.xml").getroot()  # noqa: S314 - it is our own
    return document, root


@pytest.mark.parametrize("failing", [False, True])
def test_a_killed_run_is_incomplete_in_every_report(
    folder: Path, adjudge: Cli, adjudge_here: Cli, failing: bool
) -> None:
    if failing:
        (folder / "failing").touch()
    run_killed(adjudge)

    shown = adjudge_here("runs", "show", "killed")
    assert shown.returncode == (1 if failing else 3)
    last = shown.stdout.splitlines()[-1]
    counted = "2 passed, 1 failed" if failing else "3 passed"
    assert last.startswith(
        f"INCOMPLETE  {CASES - KILLED_IN} of {CASES} cases not finished, {counted}   run killed"
    )
    assert "adjudge resume killed" in shown.stdout
    assert ("FAIL   set.evalset.json:case-1\n" in shown.stdout) == failing

    document, root = shown_as(adjudge_here, folder)
    summary = document["summary"]
    assert summary["incomplete"] is True
    assert summary["verdict"] is None
    assert summary["status"] == ("FAIL" if failing else "error")
    assert summary["cases"] == CASES
    assert [row["eval_id"] for row in document["cases"]] == [f"case-{number}" for number in range(CASES)]
    missing = document["cases"][KILLED_IN:]
    assert {row["status"] for row in missing} == {"error"}
    assert {row["error"]["code"] for row in missing} == {"not_finished"}
    assert all("adjudge resume killed" in row["error"]["message"] for row in missing)
    assert int(root.get("errors", 0)) >= CASES - KILLED_IN
    assert int(root.get("failures", 0)) == failing
    assert {case.get("name") for case in root.iter("testcase")} >= {f"case-{n}" for n in range(CASES)}

    (folder / "deadly").unlink()
    resumed = adjudge_here("resume", "killed")
    assert resumed.returncode == failing, resumed.stderr
    document, root = shown_as(adjudge_here, folder)
    assert document["summary"]["incomplete"] is False
    assert document["summary"]["verdict"] == ("FAIL" if failing else "PASS")
    assert root.get("errors") == "0"


def test_a_run_that_was_killed_between_two_criteria_is_shown_and_finished(
    folder: Path, adjudge: Cli, adjudge_here: Cli
) -> None:
    (folder / "bot.py").write_text("def agent(text):\n    return 'answer'\n")
    (folder / "metrics.py").write_text(DYING_METRIC)
    config = {
        # The one that kills has the lower number: positions and numbers differ in what is left.
        "criteria": {"deadly": 0.5, "response_match_score": 0.8},
        "custom_metrics": {"deadly": {"code_config": {"name": "metrics.count"}}},
    }
    (folder / "test_config.json").write_text(json.dumps(config))
    run_killed(adjudge)

    document, _ = shown_as(adjudge_here, folder)
    assert document["summary"]["exit_status"] == 3
    assert document["summary"]["incomplete"] is True
    for row in document["cases"]:
        assert row["status"] == "error"
        names = [item["criterion_name"] for item in row["criteria"]]
        assert names in ([], ["deadly", "response_match_score"])
    (folder / "deadly").unlink()
    assert adjudge_here("resume", "killed").returncode == 0


def test_a_repeat_that_was_not_run_is_an_error_of_its_own(
    folder: Path, adjudge: Cli, adjudge_here: Cli
) -> None:
    (folder / "deadly").write_text("2")
    run_killed(adjudge, "--num_runs", "2")
    document, _ = shown_as(adjudge_here, folder)
    assert len(document["cases"]) == CASES * 2
    assert document["summary"]["counts"] == {"PASS": KILLED_IN, "error": CASES - KILLED_IN}


AWAY_AGENT = f"""{DYING_AGENT}
from adjudge.plugin import AgentError

answer = agent

def agent(text, session):
    if not pathlib.Path("well").exists():
        raise AgentError("away", retryable=True)
    return answer(text, session)
"""


def test_a_finished_run_that_is_resumed_and_killed_is_incomplete_again(
    folder: Path, adjudge: Cli, adjudge_here: Cli
) -> None:
    (folder / "deadly").unlink()
    (folder / "bot.py").write_text(AWAY_AGENT)
    first = adjudge_here("eval", "bot:agent", "set.evalset.json", "--run", "killed")
    assert first.returncode == 3, first.stdout
    (folder / "well").touch()
    (folder / "deadly").write_text("1")
    assert adjudge("resume", "killed", "--concurrency", "1").returncode == -9
    document, _ = shown_as(adjudge_here, folder)
    assert document["run"]["finished_at"] is None
    assert document["summary"]["incomplete"] is True


CANCELLING_AGENT = """
import asyncio

async def agent(text):
    if text == "question 1":
        raise asyncio.CancelledError
    return "answer"
"""


def test_a_case_that_vanishes_from_a_run_is_an_error_everywhere(folder: Path, adjudge_here: Cli) -> None:
    (folder / "bot.py").write_text(CANCELLING_AGENT)
    outputs = ["--output", "first.json", "--output", "first.xml"]
    done = adjudge_here("eval", "bot:agent", "set.evalset.json", "--run", "r", *outputs)
    assert done.returncode == 3, done.stdout
    assert f"1 of {CASES} cases could not be measured, {CASES - 1} passed" in done.stdout
    assert "set.evalset.json:case-1\n" in done.stdout
    document = json.loads((folder / "first.json").read_text())
    assert document["summary"]["cases"] == len(document["cases"]) == CASES
    assert document["cases"][1]["status"] == "error"
    root = ElementTree.parse(folder / "first.xml").getroot()  # noqa: S314 - it is our own
    assert (root.get("tests"), root.get("errors")) == (str(CASES), "1")
    again, _ = shown_as(adjudge_here, folder, "r")
    assert again["summary"]["exit_status"] == 3
