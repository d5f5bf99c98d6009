"""``adjudge judge`` as a user runs it, with a real server for the judge and other people's logs."""

from __future__ import annotations

import json
import os
import random
import re
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
Terminal = Callable[..., tuple[int, list[str]]]

YAML = """\
- name: Success
  description: The milk is bought.
  about: outcome
  checks: ["The final result: the cheapest milk is in the cart."]
"""


@pytest.fixture
def folder(judging: Any, tmp_path: Path) -> Path:
    judging.log(name="logs/a.json")
    judging.log(name="logs/b.json")
    (tmp_path / "criteria.yaml").write_text(YAML)
    return tmp_path


@pytest.mark.parametrize(("verdict", "status"), [("met", 0), ("not_met", 1), ("cannot_tell", 3)])
def test_verdicts_and_their_exit_status(
    adjudge: Run, server: Any, folder: Path, verdict: str, status: int
) -> None:
    server.verdict = verdict
    done = adjudge(
        "judge",
        "logs/*.json",
        "--criteria",
        "criteria.yaml",
        "--judge",
        "openai/m",
        "--output",
        "out.json",
        **server.environment,
    )

    assert done.returncode == status, done.stdout + done.stderr
    assert done.stderr == ""
    document = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert [case["source"] for case in document["cases"]] == ["logs/a.json", "logs/b.json"]
    assert document["summary"]["judges"]["openai/m"]["calls"] == server.asked
    if verdict == "met":
        assert "“17: milk, 1.09. 18: oat milk, 1.49.”" in done.stdout


def test_a_recording_is_answered_from(adjudge: Run, server: Any, folder: Path) -> None:
    judge = ("judge", "logs", "--criteria", "criteria.yaml")
    options = ("--judge", "openai/m", "--record", "calls.rec", "--output", "first.json")
    first = adjudge(*judge, *options, **server.environment)
    again = adjudge(
        *judge,
        "--judge",
        "replay:calls.rec",
        "--output",
        "again.json",
        "--no-cache",
        ADJUDGE_HOME=str(folder / "elsewhere"),
    )

    assert (first.returncode, again.returncode) == (0, 0), again.stdout + again.stderr
    documents = [json.loads((folder / name).read_text()) for name in ("first.json", "again.json")]
    one, other = (document["cases"] for document in documents)
    assert one == other
    # Who answered differs, and nothing else that took part.
    one, other = (
        [item for item in document["run"]["plugins"] if item["kind"] != "judge backend"]
        for document in documents
    )
    assert one == other


def test_a_judge_is_asked_as_often_as_is_said(adjudge: Run, server: Any, folder: Path) -> None:
    judge = ("judge", "logs/a.json", "--criteria", "criteria.yaml", "--judge", "openai/m")
    judge += ("--granularity", "step_level")
    once = adjudge(*judge, "--num-samples", "1", **server.environment)
    assert (once.returncode, server.asked) == (0, 1), once.stderr

    never = adjudge(*judge, "--num-samples", "0", **server.environment)
    assert never.returncode == 2
    assert (
        "judge_model_options.num_samples: Input should be greater than or equal to 1, found 0" in never.stderr
    )


def test_what_stops_it_is_told_at_once(adjudge: Run, folder: Path) -> None:
    (folder / "criteria.yaml").write_text("- name: x\n  descripton: y\n- name: x\n")
    done = adjudge("judge", "absent.json", "logs", "--criteria", "criteria.yaml", "--granularity", "steps")

    assert done.returncode == 2
    assert done.stdout == ""
    for message in (
        "Did you mean 'description'?",
        "the name 'x' is that of $[0] too",
        "unknown granularity strategy 'steps'",
        "absent.json: there is no such file or folder",
        "no judge is named",
        "openai/gpt-5-mini: OPENAI_API_KEY is not set",
    ):
        assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_has_the_same_sub_tasks_in_every_process(adjudge: Run, judging: Any) -> None:
    """Where they begin is in what a judge is asked: a recording knows no other question."""
    words = (
        "find read open the shop list price cart item page search result error again button field query enter"
    )
    chance = random.Random(17)
    goals = [
        " ".join(chance.sample(f"{words} click wait load site table rows".split(), 10)) for _ in range(4)
    ]
    log = judging.log([{"action": f"click({at})", "next_goal": chance.choice(goals)} for at in range(60)])
    view = ("judge", log, "--aggregate-only", "--granularity", "phase_level")
    seen = {adjudge(*view, PYTHONHASHSEED=str(seed)).stdout.rpartition("DONE")[0] for seed in range(5)}
    assert len(seen) == 1


def test_criteria_are_needed_for_verdicts_and_not_for_aggregation(adjudge: Run, folder: Path) -> None:
    assert "there are no criteria" in adjudge("judge", "logs").stderr
    done = adjudge("judge", "logs/a.json", "--aggregate-only", "--granularity", "step_level")

    assert (done.returncode, done.stderr) == (0, "")
    assert "    Step 2: [I need a list of what there is.] -> [search(query=milk)]" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("DONE  1 run aggregated")


def test_without_a_console_reporter_the_verdict_is_still_told(
    adjudge: Run, server: Any, folder: Path
) -> None:
    options = ("--criteria", "criteria.yaml", "--judge", "openai/m")
    done = adjudge("--no-plugin", "console-reporter", "judge", "logs", *options, **server.environment)

    assert done.returncode == 0
    assert done.stdout.startswith("PASS  run ")
    assert "console" in done.stderr


def test_an_interruption_says_how_to_go_on(httpserver: HTTPServer, folder: Path) -> None:
    reached, over = threading.Event(), threading.Event()

    def wait(_: Request) -> Response:
        reached.set()
        over.wait(120)
        return Response(status=500)

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(wait)
    options = ["--criteria", "criteria.yaml", "--judge", "openai/m"]
    process = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "judge", "logs", *options],
        cwd=folder,
        env={**os.environ, "OPENAI_BASE_URL": httpserver.url_for("/v1"), "no_proxy": "*"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert reached.wait(120)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    over.set()

    assert process.returncode == 130
    [line] = errors.splitlines()
    assert line.startswith("interrupted: 0 done. Finish with: adjudge resume ")


def test_the_list_of_runs_names_logs(adjudge: Run, folder: Path) -> None:
    assert adjudge("judge", "logs", "--aggregate-only", "--run", "r").returncode in (0, 3)
    assert "2/2" in (listed := adjudge("runs", "list").stdout)
    assert "logs/a.json, logs/b.json" in listed
    [row] = json.loads(adjudge("runs", "list", "--json").stdout)
    assert (row["agent"], row["logs"]) == ("", ["logs/a.json", "logs/b.json"])


# --- what a person sees -------------------------------------------------------------------


@pytest.mark.parametrize("columns", [60, 200])
def test_progress_is_shown_on_a_terminal_and_nowhere_else(
    adjudge: Run, on_a_terminal: Terminal, server: Any, folder: Path, columns: int
) -> None:
    judge = ("judge", "logs", "--criteria", "criteria.yaml", "--judge", "openai/gpt-4o-mini")
    status, shown = on_a_terminal(*judge, "--no-cache", columns=columns, **server.environment)

    assert status in (0, 3)
    assert max(map(len, shown)) <= columns
    assert any(line.startswith("2 runs, 2 passed") for line in shown), shown
    if columns > 100:
        assert any(re.match(r"2 runs, 2 passed, \d+ calls\b", line) for line in shown), shown
    assert adjudge(*judge, **server.environment).stderr == ""


def test_progress_without_a_judge_counts_runs(on_a_terminal: Terminal, folder: Path) -> None:
    (folder / "logs" / "odd.json").write_text('{"foo": 1}')
    status, shown = on_a_terminal("judge", "logs", "--aggregate-only", columns=100)
    assert status in (0, 3)
    assert any(line.startswith("3 runs, 1 error ") for line in shown), shown


# --- other people's logs ------------------------------------------------------------------


def test_all_real_logs_are_aggregated(adjudge: Run, shared_data: Path, tmp_path: Path) -> None:
    kinds = ("browser_use_history", "otel_spans", "swe_agent", "tau_airline", "who_and_when")
    folders = [shared_data / kind for kind in kinds]
    done = adjudge("judge", *folders, "--aggregate-only", "--output", "out.json")
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    logs = [case for case in document["cases"] if case["error"] is None]
    readers = Counter(log["reader"].partition("/")[2] for log in logs)

    assert done.returncode in (0, 3), done.stderr
    assert {case["error"]["code"] for case in document["cases"] if case["error"]} <= {"log_unreadable"}
    assert len(readers) >= 4, readers
    for log in logs:
        clusters = [step for cluster in log["task_decomposition"]["clusters"] for step in cluster["steps"]]
        assert clusters == sorted(set(clusters))
        assert len(clusters) == log["steps"]
        for view in log["aggregated_steps"]:
            assert {step for steps in view["step_mapping"].values() for step in steps} <= set(clusters)
