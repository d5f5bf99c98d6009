"""Runs over logs are runs: listed, shown, killed and resumed, told to observers, bounded in time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.extension.loader import Extensions, discover
from adjudge.model import Trajectory
from adjudge.plugin import Host, NoConfig, ReadOptions, Source, TraceReaderSpec, hookimpl
from adjudge.testing import as_candidate
from adjudge.testing.log_runs import judged_sync

Run = Callable[..., "subprocess.CompletedProcess[str]"]

COMMAND = (sys.executable, "-m", "adjudge", "judge")
LOGS = 6
CRITERIA = """\
- name: Success
  description: The milk is bought.
  about: outcome
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
    assert done.stdout.splitlines()[-2].startswith(f"PASS  {2 * LOGS} verdicts passed   {LOGS} runs")
    assert sum(before.values()) == LOGS // 2
    # What was under way when it was killed is asked again; what was answered is not.
    assert all(judge.asked[question] == 1 for question in before)
    assert len(judge.asked) == LOGS
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


def test_a_run_over_logs_has_no_agent(adjudge: Run, folder: Path) -> None:
    (folder / "steps.yaml").write_text("- {criterion: step_count, maximum: 9}\n")
    assert adjudge("judge", "logs", "--criteria", "steps.yaml", "--run", "r").returncode == 0
    done = adjudge("resume", "r", "--agent", "http://127.0.0.1:9/x")
    assert done.returncode == 2
    assert "run 'r' is of logs and runs no agent" in done.stderr


def test_a_log_that_takes_too_long_to_read_is_an_error_and_holds_nothing_up(
    judging: Any, folder: Path, of_logs: Any
) -> None:
    released = threading.Event()

    class Slow:
        @hookimpl.trace_readers
        def trace_readers(self) -> list[TraceReaderSpec]:
            def make(_config: NoConfig, _host: Host) -> Any:
                return self

            return [TraceReaderSpec(name="slow", summary="Waits", factory=make, patterns=("*.slow",))]

        def sniff(self, head: bytes, path: Path) -> bool:
            return head.startswith(b"slow")

        def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
            released.wait(120)
            yield Trajectory()

    (folder / "logs" / "a.slow").write_text("slow")
    extensions = Extensions([*discover(), as_candidate("slow", Slow())])
    judged = judged_sync(
        ["logs/a.slow", "logs/0.json"],
        [{"criterion": "step_count", "maximum": 9}],
        timeout=0.5,
        extensions=extensions,
    )
    released.set()
    [error] = judged.errors
    assert (error.source, error.error.code, error.error.retryable) == ("logs/a.slow", "read_timeout", True)
    [log] = judged.logs
    assert [result.verdict for result in log.results] == ["PASS"]
    assert judged.exit_status == 3


def test_an_observer_hears_of_runs_in_logs(judging: Any, folder: Path, of_logs: Any) -> None:
    heard: list[Any] = []
    judging(["logs/0.json", "logs/1.json"], of_logs.OUTCOME, watch=heard.append)
    kinds = [name for event in heard if (name := type(event).__name__) != "JudgesAsked"]
    assert Counter(kinds) == {"RunStarted": 1, "CaseStarted": 2, "CriterionScored": 2, "CaseFinished": 2}
