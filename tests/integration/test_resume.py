"""Runs that are interrupted: nothing finished is repeated, and the result is that of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., CompletedProcess[str]]

CASES = 30

AGENT = """
import pathlib, time

def agent(text, session):
    with open("calls.txt", "a") as log:
        log.write(f"{session.eval_id} {session.repeat} {text}\\n")
    limit = pathlib.Path("limit")
    while limit.exists() and len(open("calls.txt").readlines()) >= int(limit.read_text()):
        time.sleep(0.01)
    flaky = pathlib.Path("broken")
    if flaky.exists() and session.eval_id == "case-3":
        raise ConnectionError("away")
    return f"answer to {text}" if int(session.eval_id[5:]) % 3 else "something else"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text(AGENT)
    cases = [
        {
            "eval_id": f"case-{n}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": f"question {n}.{t}"}]},
                    "final_response": {"parts": [{"text": f"answer to question {n}.{t}"}]},
                }
                for t in range(2)
            ],
        }
        for n in range(CASES)
    ]
    (tmp_path / "set.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    return tmp_path


ARGUMENTS = ["eval", "bot:agent", "set.evalset.json", "--num_runs", "2", "--concurrency", "3"]


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "adjudge", *ARGUMENTS, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def calls(folder: Path) -> list[str]:
    log = folder / "calls.txt"
    return log.read_text().splitlines() if log.exists() else []


def wait_for_calls(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 120
    while len(calls(folder)) < number:
        assert time.monotonic() < deadline, "the run makes no progress"
        time.sleep(0.005)


def comparable(path: Path) -> Any:
    """A report without what may differ between two runs: names, times and durations."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            timing = {"name", "started_at", "finished_at", "duration"}
            return {key: cleaned(item) for key, item in value.items() if key not in timing}
        return [cleaned(item) for item in value] if isinstance(value, list) else value

    return cleaned(json.loads(path.read_text()))


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_run_is_finished_with_the_same_results(folder: Path, adjudge: Cli, seed: int) -> None:
    undisturbed = adjudge(*ARGUMENTS, "--run", "whole", "--output", "whole.json")
    assert undisturbed.returncode == 1, undisturbed.stderr
    (folder / "calls.txt").unlink()

    made = random.Random(seed).randint(1, CASES * 2)
    (folder / "limit").write_text(str(made))
    process = start(folder, "--run", "killed")
    wait_for_calls(folder, made)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (folder / "limit").unlink()

    resumed = adjudge("resume", "killed", "--output", "resumed.json")
    assert resumed.returncode == 1, resumed.stderr
    assert comparable(folder / "resumed.json") == comparable(folder / "whole.json")
    # A finished conversation is not repeated; one that was under way starts again at its first turn.
    again = len(calls(folder)) - CASES * 4
    assert 0 <= again <= 3 * 2, "finished work was repeated"


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(folder: Path, adjudge: Cli) -> None:
    (folder / "limit").write_text("10")
    process = start(folder, "--run", "stopped")
    wait_for_calls(folder, 10)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "adjudge resume stopped" in complaint
    assert "Traceback" not in complaint
    listed = adjudge("runs", "list")
    assert "stopped" in listed.stdout
    assert "unfinished" in listed.stdout
    (folder / "limit").unlink()
    assert adjudge("resume", "stopped").returncode == 1


def test_retryable_errors_are_tried_again_and_verdicts_are_not(folder: Path, adjudge: Cli) -> None:
    slow = (
        (folder / "bot.py")
        .read_text()
        .replace("raise ConnectionError", "time.sleep(60); raise ConnectionError")
    )
    (folder / "bot.py").write_text(slow)
    (folder / "broken").touch()
    first = adjudge(*ARGUMENTS, "--run", "flaky", "--timeout", "10", "--output", "first.json")
    assert first.returncode == 1
    rows = json.loads((folder / "first.json").read_text())["cases"]
    assert {row["eval_id"] for row in rows if row["status"] == "error"} == {"case-3"}
    (folder / "broken").unlink()
    (folder / "calls.txt").unlink()
    adjudge("resume", "flaky", "--output", "second.json")
    rows = json.loads((folder / "second.json").read_text())["cases"]
    assert not [row for row in rows if row["status"] == "error"]
    assert {line.split()[0] for line in calls(folder)} == {"case-3"}


def test_a_finished_run_is_not_run_again(folder: Path, adjudge: Cli) -> None:
    adjudge(*ARGUMENTS, "--run", "done", "--output", "first.json")
    (folder / "calls.txt").unlink()
    resumed = adjudge("resume", "done", "--output", "second.json")
    assert resumed.returncode == 1, resumed.stderr
    assert calls(folder) == []
    assert comparable(folder / "first.json") == comparable(folder / "second.json")


def test_a_run_whose_plan_has_changed_is_refused_with_the_differences(folder: Path, adjudge: Cli) -> None:
    adjudge(*ARGUMENTS, "--run", "old")
    (folder / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.25}}))
    refused = adjudge("resume", "old")
    assert refused.returncode == 2
    assert "response_match_score.threshold: was 0.8, is 0.25" in refused.stderr
    assert "tool_trajectory_avg_score: no longer there" in refused.stderr


def test_two_processes_cannot_write_one_run(folder: Path, adjudge: Cli) -> None:
    (folder / "limit").write_text("2")
    process = start(folder, "--run", "busy")
    wait_for_calls(folder, 2)
    refused = adjudge("resume", "busy")
    process.kill()
    process.communicate()
    assert refused.returncode == 2
    assert "being written by another process" in refused.stderr


def test_a_run_can_be_shown_and_written_again_after_its_files_are_gone(folder: Path, adjudge: Cli) -> None:
    adjudge(*ARGUMENTS, "--run", "kept", "--output", "first.json")
    (folder / "set.evalset.json").unlink()
    (folder / "bot.py").unlink()
    shown = adjudge("runs", "show", "kept", "--output", "again.json")
    assert shown.returncode == 1, shown.stderr  # the status of the run
    assert comparable(folder / "first.json") == comparable(folder / "again.json")
    assert "case-0" in adjudge("runs", "show", "kept").stdout
    rows = json.loads(adjudge("runs", "list", "--json").stdout)
    assert [(row["name"], row["state"], row["done"], row["total"]) for row in rows] == [
        ("kept", "finished", CASES * 2, CASES * 2)
    ]


def test_a_file_that_is_not_a_journal_is_refused(folder: Path, adjudge: Cli, tmp_path: Path) -> None:
    runs = Path(os.environ["ADJUDGE_HOME"]) / "runs"
    runs.mkdir(parents=True)
    (runs / "odd.sqlite3").write_bytes(b"not a database at all" * 100)
    for command in (["resume", "odd"], ["runs", "show", "odd"]):
        refused = adjudge(*command)
        assert refused.returncode == 2, command
        assert "not a journal" in refused.stderr
    assert "unreadable" in adjudge("runs", "list").stdout


def test_a_recording_that_was_changed_is_another_agent(folder: Path, adjudge: Cli) -> None:
    (folder / "recording.json").write_text((folder / "set.evalset.json").read_text())
    first = adjudge("eval", "recorded:recording.json", "set.evalset.json", "--run", "replayed")
    assert first.returncode == 0, first.stderr
    changed = (folder / "recording.json").read_text().replace("answer to question 1.0", "nothing")
    (folder / "recording.json").write_text(changed)
    refused = adjudge("resume", "replayed")
    assert refused.returncode == 2
    assert "agent.fingerprint.sha256" in refused.stderr


SLOW_METRIC = """
import os, pathlib, time
from types import SimpleNamespace

def count(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    with open("metric.txt", "a") as log:
        log.write("scored\\n")
    while pathlib.Path("hold").exists():
        time.sleep(0.01)
    return 1.0
"""


def decided(adjudge: Cli, folder: Path) -> list[str]:
    shown = folder / "shown.json"
    adjudge("runs", "show", "half", "--output", str(shown))
    cases = json.loads(shown.read_text())["cases"] if shown.exists() else []
    return [item["criterion_name"] for case in cases for item in case["criteria"] if item["error"] is None]


def test_a_criterion_that_is_decided_is_not_measured_again(folder: Path, adjudge: Cli) -> None:
    (folder / "metrics.py").write_text(SLOW_METRIC)
    config = {
        "criteria": {"response_match_score": 0.1, "slow": 0.5},
        "custom_metrics": {"slow": {"code_config": {"name": "metrics.count"}}},
    }
    (folder / "test_config.json").write_text(json.dumps(config))
    (folder / "hold").touch()
    (folder / "bot.py").write_text("def agent(text):\n    return 'answer to ' + text\n")
    arguments = ["eval", "bot:agent", "set.evalset.json:case-1", "--run", "half"]
    process = subprocess.Popen([sys.executable, "-m", "adjudge", *arguments], cwd=folder)
    deadline = time.monotonic() + 120
    while not (folder / "metric.txt").exists() or not decided(adjudge, folder):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    # The metric hangs: Ctrl-C does not wait for it.
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130
    assert decided(adjudge, folder) == ["response_match_score"]
    (folder / "hold").unlink()
    assert adjudge("resume", "half").returncode == 0
