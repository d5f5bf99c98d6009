"""``nox -s experiment``: verdicts on labelled runs, how many are right and what they cost, from one command."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.model import Citation, JudgeMessage
from adjudge.plugin import JudgeRequest
from adjudge.testing import fields_shown, verdicts

SCRIPT = Path(__file__).parents[1] / "agreement" / "experiment.py"
JUDGE = "openai/small"
EACH = 2

Experiment = Callable[..., subprocess.CompletedProcess[str]]


class Model:
    """Says that airline runs do what they should, and that those of web agents do not; quotes what it was shown."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers = True

    def answer(self, request: Request) -> Response:
        if not self.answers:
            return Response('{"error": {"message": "this cannot be answered"}}', status=400)
        body: dict[str, Any] = json.loads(request.data)
        messages = tuple(JudgeMessage(role=item["role"], text=item["content"]) for item in body["messages"])
        asked = JudgeRequest(
            model=body["model"],
            messages=messages,
            schema_=body["response_format"]["json_schema"]["schema"],
        )
        self.asked.append(messages[1].text)
        fields = {field: (step, text) for step, field, text in fields_shown(asked)}
        # An airline agent's tools answer; of what web agents saw their logs have nothing.
        quoted = "result" if "result" in fields else "action"
        step, text = fields.get(quoted, (1, "nothing"))
        quote = Citation(step=step, field=quoted, quote=text.split("\n")[0][:40])
        said = verdicts(asked, "met" if quoted == "result" else "not_met", citations=[quote])
        return Response(
            json.dumps(
                {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "small-1",
                    "choices": [
                        {
                            "index": 0,
                            "message": {"role": "assistant", "content": said},
                            "finish_reason": "stop",
                        }
                    ],
                    "usage": {"prompt_tokens": 9000, "completion_tokens": 10, "total_tokens": 9010},
                }
            ),
            content_type="application/json",
        )


@pytest.fixture
def model(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Model:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    found = Model()
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(found.answer)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    return found


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    def run(*args: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPT), *map(str, args)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)

    return run


def tables(printed: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The verdicts, and what they come to."""
    found: list[list[dict[str, str]]] = []
    for part in printed.split("\n\n"):
        lines = [line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("| ")]
        if lines:
            found.append([dict(zip(lines[0], cells, strict=True)) for cells in lines[2:]])
    given, figures = found
    return given, figures


def test_verdicts_coverage_and_agreement_are_printed_and_a_recording_repeats_them(
    model: Model, experiment: Experiment, shared_data: Path
) -> None:
    done = experiment("--judge", JUDGE, "--data", shared_data, "--runs", EACH, "--record", "judge.rec")

    assert done.returncode == 0, done.stderr
    given, figures = tables(done.stdout)
    assert [row["data set"] for row in given] == ["tau_airline"] * EACH + ["web_agent_runs"] * EACH
    for name, rule, verdict in (
        ("tau_airline", "reward", "PASS"),
        ("web_agent_runs", "rule-based reward", "FAIL"),
    ):
        mine = [row for row in given if row["data set"] == name]
        assert {row["verdict"] for row in mine} == {verdict}
        right = sum(f"{verdict} ({rule})" in row["labels"] for row in mine)
        [row] = [row for row in figures if (row["data set"], row["label"]) == (name, rule)]
        assert row["runs"] == str(EACH)
        assert row["decided"].startswith(f"{EACH}: 1.00 (")
        assert row["right"].startswith(f"{right}: {right / EACH:.2f}")
        assert (row["UNSURE"], row["error"], row["injection flags"]) == ("0", "0", "0")
        assert float(row["times the log's tokens"]) > 0
    [airline] = [row for row in figures if row["data set"] == "tau_airline"]
    assert airline["kappa"].startswith("0.00"), "one label of each kind, and one verdict"
    requests = {row["data set"]: float(row["requests a run"]) for row in figures}
    assert sum(requests.values()) * EACH == len(model.asked)

    assert_labels_are_hidden(model.asked, shared_data)

    replayed = experiment("--judge", "replay:judge.rec", "--data", shared_data, "--runs", EACH, "--no-cache")

    assert replayed.returncode == 0, replayed.stderr
    assert sum(requests.values()) * EACH == len(model.asked), "nothing is asked again"
    assert tables(replayed.stdout) == (given, figures)


def assert_labels_are_hidden(asked: list[str], shared_data: Path) -> None:
    """No request holds a reward, nor the state of the database that the reward is given for."""
    with gzip.open(shared_data / "tau_airline" / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        hidden = set(re.findall(r'"gt_data_hash": "(\w+)"', file.read()))
    assert hidden
    hidden |= {'"reward"', "reward_info", "rule_based_reward", "webjudge"}
    assert asked
    assert not [secret for secret in hidden for shown in asked if secret in shown]


def test_runs_that_could_not_be_measured_are_errors_with_their_reason(
    model: Model, experiment: Experiment, shared_data: Path
) -> None:
    model.answers = False

    done = experiment("--judge", JUDGE, "--data", shared_data, "--runs", EACH)

    given, figures = tables(done.stdout)
    assert {row["verdict"] for row in given} == {"error"}
    assert {(row["error"], row["UNSURE"]) for row in figures} == {(str(EACH), "0")}
    assert all(row["decided"].startswith("0: 0.00") for row in figures)
    assert done.stdout.count("this cannot be answered") == 1


def test_data_that_are_absent_are_said_to_be(experiment: Experiment, tmp_path: Path) -> None:
    done = experiment("--judge", JUDGE, "--data", tmp_path / "nowhere")

    assert done.returncode == 1
    assert "the runs are absent" in done.stderr
    assert "--data FOLDER" in done.stderr


def test_what_adjudge_says_is_wrong_with_the_judge_is_the_answer(
    experiment: Experiment, shared_data: Path
) -> None:
    done = experiment("--judge", "nobody/x", "--data", shared_data, "--runs", "1")

    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert not done.stdout
