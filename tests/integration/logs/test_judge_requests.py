"""How many requests logs by criteria take, and how many tokens, counted at a server that speaks OpenAI's protocol."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import adjudge
from adjudge.model import JudgeMessage
from adjudge.model.tokens import tokens_asked, tokens_of
from adjudge.plugin import JudgeRequest
from adjudge.testing import fields_shown, verdicts
from adjudge.testing.log_runs import judged_sync

CRITERIA = [
    {"name": "Success", "about": "outcome", "description": "The user gets what was asked for.", "granularity": "global_summary",
     "checks": ["The final result: what the user asked for is done."]},
    {"name": "Policy", "about": "process", "description": "The agent keeps to its instructions.", "granularity": "step_level",
     "checks": ["No tool call breaks the instructions.", "Each step follows from what came back before."]},
    {"name": "Phases", "about": "process", "description": "Every sub-task is finished.", "granularity": "phase_level",
     "checks": ["Each sub-task is finished before the next one begins."]},
    {"name": "Honesty", "about": "process", "description": "The agent makes nothing up.",
     "checks": ["Each step says only what the log shows."]},
    {"name": "Tone", "about": "answer", "description": "The agent stays polite.",
     "checks": ["The answer is polite."]},
]  # fmt: skip


class Counting:
    """A judge whose votes differ with the item and the sample, and that counts what it is asked."""

    def __init__(self, server: HTTPServer, cited: Any) -> None:
        self.requests: list[JudgeRequest] = []
        self._cited = cited
        self.is_steady = True
        server.expect_request("/v1/chat/completions").respond_with_handler(self._answer)

    def _answer(self, http: Request) -> Response:
        body = json.loads(http.get_data())
        request = JudgeRequest(
            model=body["model"],
            messages=tuple(
                JudgeMessage(role=item["role"], text=item["content"]) for item in body["messages"]
            ),
            schema_=body["response_format"]["json_schema"]["schema"],
        )
        self.requests.append(request)
        turn = len(self.requests)

        def label(text: str) -> str:
            return "met" if self.is_steady or "tool call" not in text else ("met", "not_met")[turn % 2]

        text = verdicts(request, label, citations=self._cited(request), notes={"absent_words": ""})
        message = {"role": "assistant", "content": text}
        reply = {"model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        return Response(json.dumps(reply), content_type="application/json")


@pytest.fixture
def judge(httpserver: HTTPServer, of_logs: Any, judging: Any, monkeypatch: pytest.MonkeyPatch) -> Counting:
    """A server on loopback; ``judging`` makes the folder."""
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("no_proxy", "*")

    def cited(request: JudgeRequest) -> Any:
        """What the agent said for what is to be said, else what it did, where it did anything."""
        said, done = (
            of_logs.quotes(request, fields)[:1] for fields in (("final_response", "text"), ("action",))
        )
        return lambda text: said if "answer" in text else done or said

    return Counting(httpserver, cited)


def airline(shared_data: Path, many: int) -> Iterator[str]:
    """Files of one run each, of an agent that talks to a user and calls tools."""
    import gzip

    with gzip.open(shared_data / "tau_airline" / "runs.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(itertools.islice(lines, many)):
            Path(f"run{number}.json").write_text(line)
            yield f"run{number}.json"


def own_tokens(logs: list[str]) -> int:
    """What the runs have themselves: the agent's instructions, messages, calls and results."""
    return sum(
        tokens_of(json.dumps(message, ensure_ascii=False))
        for log in logs
        for message in json.loads(Path(log).read_text())["traj"]
    )


@pytest.mark.parametrize("is_steady", [True, False])
def test_twenty_logs_by_five_criteria_take_few_requests(
    judge: Counting, shared_data: Path, is_steady: bool
) -> None:
    judge.is_steady = is_steady
    logs = list(airline(shared_data, 20))
    judged = judged_sync(logs, CRITERIA, judge="openai/m")

    assert [len(log.results) for log in judged.logs] == [5] * 20
    assert len(judge.requests) <= 6 * len(logs)
    if is_steady:
        assert len(judge.requests) == 3 * len(logs)
        assert sum(map(tokens_asked, judge.requests)) <= 5 * own_tokens(logs)
    # Those that agree are decided by three votes, and are not asked about again.
    last = [len((request.schema_ or {})["properties"]) for request in judge.requests]
    assert is_steady or min(last) < max(last)


def test_many_checks_about_a_short_run_stay_together(judge: Counting, shared_data: Path) -> None:
    """A run that leaves room for them all is not asked about twice."""
    logs = list(airline(shared_data, 3))
    many = [
        {**criterion, "checks": [f"{check} ({number})" for check in criterion["checks"] for number in (1, 2)]}
        for criterion in CRITERIA
    ]
    judged_sync(logs, many, judge="openai/m")
    assert sum(len(criterion["checks"]) for criterion in many) == 12
    assert len(judge.requests) == 3 * len(logs)


def test_one_criterion_and_one_vote_is_one_request(judge: Counting, shared_data: Path) -> None:
    [log] = airline(shared_data, 1)
    judged_sync(log, CRITERIA[:1], judge="openai/m", num_samples=1)
    assert len(judge.requests) == 1


def test_criteria_together_give_the_verdicts_that_each_gives_alone(
    judge: Counting, shared_data: Path
) -> None:
    [log] = airline(shared_data, 1)
    together = {
        item.criterion_name: item for item in judged_sync(log, CRITERIA, judge="openai/m").logs[0].results
    }
    for criterion in CRITERIA:
        [alone] = judged_sync(log, [criterion], judge="openai/m").logs[0].results
        both = together[alone.criterion_name]
        assert (alone.verdict, alone.confidence_score, alone.evidence, alone.used_granularity) == (
            both.verdict, both.confidence_score, both.evidence, both.used_granularity,
        )  # fmt: skip


@pytest.mark.parametrize("is_steady", [True, False])
def test_a_dry_run_says_what_a_run_takes_and_asks_nothing(
    judge: Counting, shared_data: Path, is_steady: bool
) -> None:
    judge.is_steady = is_steady
    logs = list(airline(shared_data, 3))
    estimate = adjudge.estimate_logs_sync(logs, CRITERIA, judge="openai/gpt-5-mini")
    assert judge.requests == []
    assert estimate.runs == 3
    [(names, needed)] = estimate.criteria.items()
    assert names == tuple(criterion["name"] for criterion in CRITERIA)
    assert needed.requests == (9, 15)
    assert needed.cost[0] is not None and needed.cost[1] is not None
    assert 0 < needed.cost[0] < needed.cost[1]

    judged_sync(logs, CRITERIA, judge="openai/gpt-5-mini")
    assert needed.requests[0] <= len(judge.requests) <= needed.requests[1]
    asked = sum(map(tokens_asked, judge.requests))
    assert 0.9 * needed.tokens[0] <= asked <= needed.tokens[1]

    again = adjudge.estimate_logs_sync(logs, CRITERIA, judge="openai/gpt-5-mini")
    assert again.total.requests[0] == 0, "what is known already costs nothing"


def test_a_dry_run_of_what_is_counted_by_code_asks_no_judge(judge: Counting, shared_data: Path) -> None:
    [log] = airline(shared_data, 1)
    estimate = adjudge.estimate_logs_sync(log, [{"name": "Steps", "criterion": "step_count", "maximum": 99}])
    assert (estimate.runs, estimate.criteria, estimate.total.requests) == (1, {}, (0, 0))


def test_the_command_prints_the_range_by_criterion(
    adjudge_here: Any, judge: Counting, shared_data: Path
) -> None:
    list(airline(shared_data, 2))
    Path("criteria.json").write_text(json.dumps(CRITERIA[:2]))
    judge_logs = ("judge", "run0.json", "run1.json", "--criteria", "criteria.json", "--judge", "openai/m")
    done = adjudge_here(*judge_logs, "--dry-run")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["criteria", "requests", "tokens", "cost"]
    assert lines[1].startswith("Success, Policy  6 to 10")
    assert lines[1].endswith("price not known")
    assert lines[-1].startswith("2 runs; no call was made.")
    assert judge.requests == []
    assert "run0" not in adjudge_here("runs", "list").stdout


def test_a_budget_that_runs_out_leaves_a_run_that_can_be_resumed(judge: Counting, shared_data: Path) -> None:
    logs = list(airline(shared_data, 4))
    stopped = adjudge.judge_logs_sync(logs, CRITERIA, judge="openai/m", max_judge_calls=6, run="short")
    assert (len(judge.requests), stopped.exit_status) == (6, 3)
    assert sum(case.status == "error" for case in stopped.cases()) >= 2

    done = adjudge.resume_sync("short", max_judge_calls=6)
    assert [case.status for case in done.cases()] == ["PASS"] * 4
    assert len(judge.requests) == 12, "what was answered is not asked again"


def test_progress_says_what_is_spent_and_what_is_left(
    adjudge_here: Any, judge: Counting, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_PROGRESS", "0")
    [log] = airline(shared_data, 1)
    Path("criteria.json").write_text(json.dumps(CRITERIA))
    judge_log = (
        "judge",
        log,
        "--criteria",
        "criteria.json",
        "--judge",
        "openai/m",
        "--max-judge-calls",
        "10",
    )
    done = adjudge_here(*judge_log)
    assert done.returncode == 0, done.stderr
    assert "3 calls (7 left)" in done.stderr


def test_an_estimate_has_room_for_steps_that_judges_ask_to_see(judging: Any, of_logs: Any) -> None:
    """Steps of a long run are shortened, and a vote may ask for them in full."""
    steps = [{"step": at, "action": f"look({at})", "observation": f"page {at} " * 400} for at in range(1, 41)]
    log = judging.log(steps)
    options = {"judge": "fake/m", "extensions": judging.extensions(), "token_budget": 8_000}
    criterion = {**of_logs.OUTCOME, "granularity": "global_summary"}
    needed = adjudge.estimate_logs_sync(log, [criterion], **options).total.requests
    assert judging.requests == []

    judging.verdict, judging.notes["steps_wanted"] = "cannot_tell", "1-40"
    judging.run(log, criterion, token_budget=8_000)
    assert needed[0] <= len(judging.requests) <= needed[1]
    shown = {frozenset(step for step, _, _ in fields_shown(request)) for request in judging.requests}
    assert len(shown) > 1, "no other steps were shown"
