"""What pages and programs take from the Python door beside runs: plans, stored runs, and what is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import adjudge as adjudge_package
from adjudge.errors import InputError, RunError

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bot.py").write_text("def agent(text):\n    return 'hello'\n")
    cases: list[dict[str, Any]] = [
        {
            "eval_id": name,
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "hi"}]},
                    "final_response": {"parts": [{"text": answer}]},
                }
            ],
        }
        for name, answer in (("right", "hello"), ("wrong", "good bye"))
    ]
    cases.append(
        {
            "eval_id": "played",
            "conversation_scenario": {"starting_prompt": "hi", "conversation_plan": "say hi"},
        }
    )
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADJUDGE_HOME", str(tmp_path / "adjudge-home"))
    return tmp_path


MATCH: dict[str, Any] = {"criteria": {"response_match_score": 0.8}}
SELECTED = "set.test.json:right,wrong"


def evaluated(name: str) -> adjudge_package.RunResult:
    return adjudge_package.evaluate_sync("bot:agent", SELECTED, config=MATCH, run=name)


def test_runs_are_listed_read_written_and_deleted(folder: Path, adjudge_here: Cli) -> None:
    result = evaluated("first")
    evaluated("second")

    first, second = adjudge_package.list_runs()
    assert (first.name, first.state, first.done, first.total) == ("first", "finished", 2, 2)
    assert (first.agent, first.eval_sets, first.criteria) == (
        "bot:agent",
        ("set.test.json",),
        {"response_match_score": 0.8},
    )
    listed = json.loads(adjudge_here("runs", "list", "--json").stdout)
    assert [row["name"] for row in listed] == ["first", "second"]
    assert listed[0]["criteria"] == first.criteria

    with adjudge_package.read_run("first") as report:
        assert report.summary == result.summary
        assert {item.result.eval_id: item.result.status for item in report.cases()} == {
            "right": "PASS",
            "wrong": "FAIL",
        }
    summary, unwritten = adjudge_package.write_reports("first", ["first.json"])
    assert (summary.status, unwritten) == ("FAIL", ())
    assert json.loads((folder / "first.json").read_text("utf-8"))["run"]["name"] == "first"

    adjudge_package.delete_run("first")
    assert [run.name for run in adjudge_package.list_runs()] == [second.name]
    assert [path.name for path in (folder / "adjudge-home" / "runs").iterdir() if "first" in path.name] == []
    with pytest.raises(RunError, match="no run named 'first'"):
        adjudge_package.delete_run("first")
    assert adjudge_here("runs", "delete", "second").stdout == "deleted second\n"
    assert adjudge_package.list_runs() == []


def test_one_case_of_a_run_is_read_without_the_others(folder: Path, adjudge_here: Cli) -> None:
    adjudge_package.evaluate_sync("bot:agent", SELECTED, config=MATCH, run="twice", num_runs=2)
    with adjudge_package.read_run("twice", case=1) as report:
        read = [(item.result.eval_id, item.result.repeat, item.actual.eval_id) for item in report.cases()]
    assert read == [("wrong", 1, "wrong"), ("wrong", 2, "wrong")]
    for absent in (2, -1):
        with (
            pytest.raises(RunError, match=f"no case number {absent}"),
            adjudge_package.read_run("twice", case=absent),
        ):
            pass


@pytest.mark.usefixtures("folder")
def test_a_run_that_is_being_written_is_not_deleted() -> None:
    refused: list[str] = []

    def watch(event: object) -> None:
        if not refused:
            with pytest.raises(RunError) as raised:
                adjudge_package.delete_run("live")
            refused.append(str(raised.value))

    result = adjudge_package.evaluate_sync("bot:agent", SELECTED, config=MATCH, run="live", watch=watch)
    assert result.status == "FAIL"
    assert "is being written" in refused[0]
    assert [run.name for run in adjudge_package.list_runs()] == ["live"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["../set", "a/b", "", "."])
def test_no_name_leads_out_of_the_runs(name: str) -> None:
    with pytest.raises(InputError, match="cannot name a run"):
        adjudge_package.delete_run(name)


@pytest.mark.usefixtures("folder")
def test_a_plan_says_what_would_run_and_makes_no_run() -> None:
    plan = adjudge_package.plan_evaluation_sync("bot:agent", SELECTED, config=MATCH, num_runs=3)
    assert (plan.cases, plan.simulated, plan.criteria) == (6, 0, {"response_match_score": 0.8})
    assert (plan.estimate.runs, plan.estimate.total.requests) == (6, (0, 0))
    assert adjudge_package.list_runs() == []


@pytest.mark.usefixtures("folder")
def test_a_plan_estimates_judges_as_if_the_agent_did_what_is_expected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none-is-asked")
    config = {
        "criteria": {"final_response_match_v2": {"threshold": 1, "judge_model_options": {"num_samples": 5}}}
    }
    plan = adjudge_package.plan_evaluation_sync(
        "bot:agent", SELECTED, config=config, judge="openai/gpt-4o-mini", num_runs=2
    )
    low, high = plan.estimate.total.requests
    # Two cases, twice: unanimous votes end early, votes that disagree take all five.
    assert 2 * 2 * 3 <= low < high == 2 * 2 * 5
    assert plan.estimate.total.tokens[0] > 0
    assert list(plan.estimate.criteria) == [("final_response_match_v2",)]


@pytest.mark.usefixtures("folder")
def test_a_plan_names_every_problem() -> None:
    with pytest.raises(InputError) as raised:
        adjudge_package.plan_evaluation_sync(
            "bot:nobody", "set.test.json:rigth", config={"criteria": {"response_match": 0.8}}
        )
    said = str(raised.value)
    assert "nobody" in said
    assert "'right'" in said
    assert "'response_match_score'" in said


def test_the_inventory_says_what_the_listings_say(folder: Path, adjudge_here: Cli) -> None:
    found = adjudge_package.inventory()

    assert list(found.plugins[0]) == list(json.loads(adjudge_here("plugins", "--json").stdout)[0])
    listed = json.loads(adjudge_here("criteria", "--json").stdout)
    assert [{key: item[key] for key in listed[0]} for item in found.components["criteria"]] == listed
    [trajectory] = [item for item in listed if item["name"] == "tool_trajectory_avg_score"]
    [same] = [item for item in found.components["criteria"] if item["id"] == trajectory["id"]]
    assert same["value_range"] == [0.0, 1.0]
    assert "match_type" in same["options_schema"]["properties"]


@pytest.mark.usefixtures("folder")
def test_the_inventory_names_keys_and_never_shows_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def openai() -> dict[str, Any]:
        [found] = [
            item
            for item in adjudge_package.inventory().components["judge_backends"]
            if item["name"] == "openai"
        ]
        return found

    assert "OPENAI_API_KEY" in str(openai()["missing"])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert openai()["missing"] == []
    assert "sk-very-secret" not in json.dumps(openai())
