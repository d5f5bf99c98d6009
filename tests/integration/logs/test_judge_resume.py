"""Runs over logs are runs: listed, shown, killed and resumed, told to observers, bounded in time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

Run = Callable[..., "subprocess.CompletedProcess[str]"]

COMMAND = (sys.executable, "-m", "adjudge", "judge")
LOGS = 6
CRITERIA = """\
- name: Success
  description: The milk is bought.
  checks: ["The final result: the cheapest milk is in the cart."]
- criterion: step_count
  name: Steps
  maximum: 9
"""


class Gated:
    """A judge that answers so many questions, and no more until the gate is open."""

    def __init__(self, httpserver: HTTPServer, server: Any, first: int) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.full, self.gate = threading.Event(), threading.Event()
        self._first, self._lock = first, threading.Lock()
        self._answer = server._answer
        httpserver.clear()
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(self._respond)

    def _respond(self, http: Request) -> Response:
        question = http.get_data(as_text=True)
        with self._lock:
            self.asked[question] += 1
            waits = self.asked.total() > self._first
        if waits and not self.gate.is_set():
            self.full.set()
            self.gate.wait(120)
        answer: Response = self._answer(http)
        with self._lock:
            self.answered[question] += 1
        return answer


@pytest.fixture
def folder(judging: Any, tmp_path: Path, of_logs: Any) -> Path:
    for number in range(LOGS):
        judging.log(name=f"logs/{number}.json", task=f"{of_logs.TASK} ({number})")
    (tmp_path / "criteria.yaml").write_text(CRITERIA)
    return tmp_path


def test_after_a_kill_the_rest_is_judged_and_nothing_twice(
    adjudge: Run, httpserver: HTTPServer, server: Any, folder: Path
) -> None:
    judge = Gated(httpserver, server, first=LOGS // 2)
    options = ["--criteria", "criteria.yaml", "--judge", "openai/m", "--no-cache", "--num-samples", "1"]
    command = [*COMMAND, "logs", *options, "--granularity", "step_level"]
    killed = subprocess.Popen(
        [*command, "--run", "night", "--concurrency", "1"],
        cwd=folder,
        env={**os.environ, **server.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert judge.full.wait(120)
    killed.send_signal(signal.SIGKILL)
    killed.wait(120)
    before = Counter(judge.answered)
    judge.gate.set()

    [row] = json.loads(adjudge("runs", "list", "--json").stdout)
    assert (row["name"], row["state"], row["agent"]) == ("night", "unfinished", "")
    shown = adjudge("runs", "show", "night", "--output", "part.json")
    assert shown.returncode == 3, shown.stdout + shown.stderr

    done = adjudge("resume", "night", "--output", "whole.json", **server.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(f"PASS  {2 * LOGS} passed   {LOGS} runs")
    assert sum(before.values()) == LOGS // 2
    # What was under way when it was killed is asked again; what was answered is not.
    assert all(judge.asked[question] == 1 for question in before)
    # One question about each log; the sub-tasks of all of them are alike, and named once.
    assert len(judge.asked) == LOGS + 1
    [row] = json.loads(adjudge("runs", "list", "--json").stdout)
    assert (row["state"], row["done"], row["total"]) == ("finished", LOGS, LOGS)
    assert adjudge("runs", "show", "night").stdout.splitlines()[0].startswith("log")


def test_logs_that_have_changed_are_not_judged_on(
    adjudge: Run, httpserver: HTTPServer, server: Any, folder: Path, judging: Any
) -> None:
    judge = Gated(httpserver, server, first=1)
    process = subprocess.Popen(
        [*COMMAND, "logs", "--criteria", "criteria.yaml", "--judge", "openai/m", "--run", "r"],
        cwd=folder,
        env={**os.environ, **server.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert judge.full.wait(120)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    judge.gate.set()
    assert process.returncode == 130
    assert "adjudge resume r" in errors

    judging.log(name="logs/5.json", task="Something else.")
    refused = adjudge("resume", "r", **server.environment)
    assert refused.returncode == 2
    assert "logs.files.logs/5.json.sha256" in refused.stderr


def test_an_observer_hears_of_runs_in_logs(judging: Any, folder: Path, of_logs: Any) -> None:
    heard: list[Any] = []
    judging(["logs/0.json", "logs/1.json"], of_logs.OUTCOME, watch=heard.append)
    kinds = [type(event).__name__ for event in heard]
    assert Counter(kinds) == {"RunStarted": 1, "CaseStarted": 2, "CriterionScored": 2, "CaseFinished": 2}
