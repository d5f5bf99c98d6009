"""``AgentEvaluator`` in tests that were written for ADK."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adjudge_adk import AgentEvaluator
from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from scripted import by, turn

from adjudge import InputError

CASES = "home_automation_agent/simple_test.test.json"


def evaluated(*args: Any, **options: Any) -> None:
    asyncio.run(AgentEvaluator.evaluate(*args, **options))


def parrot(**answers: str) -> LlmAgent:
    return LlmAgent(name="parrot", model=by(answers))


def test_the_example_of_adk_runs_with_its_import_changed(home_agent: Path) -> None:
    evaluated(agent_module="home_automation_agent", eval_dataset_file_path_or_dir=CASES)


@pytest.mark.parametrize("module", ["home_automation_agent", "home_automation_agent.agent"])
def test_a_folder_of_tests_is_evaluated(home_agent: Path, module: str) -> None:
    evaluated(module, "home_automation_agent", num_runs=1)


def test_an_agent_object_runs_inside_a_running_loop(eval_set: Callable[..., Path]) -> None:
    path = eval_set("words.test.json", hi=[turn("hi", "hello there")])

    async def test() -> None:
        seen = asyncio.get_running_loop()
        await AgentEvaluator.evaluate(parrot(hi="hello there"), str(path), num_runs=3)
        assert asyncio.get_running_loop() is seen

    asyncio.run(test())


def test_an_app_is_an_agent(eval_set: Callable[..., Path]) -> None:
    path = eval_set("words.test.json", hi=[turn("hi", "hello there")])

    evaluated(App(name="parrots", root_agent=parrot(hi="hello there")), str(path))


def test_a_failure_has_every_case_every_criterion_and_the_differences(eval_set: Callable[..., Path]) -> None:
    call = {"name": "look_up", "args": {"id": 1}}
    path = eval_set(
        "words.test.json",
        greeting=[turn("hi", "good morning")],
        question=[turn("why", "because it is so", call)],
        fine=[turn("bye", "see you")],
    )

    with pytest.raises(AssertionError) as failed:
        evaluated(parrot(hi="good night", why="because", bye="see you"), str(path), num_runs=1)

    told = str(failed.value)
    assert "words.test.json:greeting" in told
    assert "words.test.json:question" in told
    assert "words.test.json:fine" not in told
    assert told.count("response_match_score") >= 2
    assert "tool_trajectory_avg_score" in told
    assert "look_up(id=1)" in told
    assert "[-morning-]" in told


def test_an_agent_that_raises_is_a_failure_with_the_reason(eval_set: Callable[..., Path]) -> None:
    def fail(request: Any) -> str:
        raise ValueError("no such device")

    from scripted import Scripted

    path = eval_set("words.test.json", hi=[turn("hi", "hello")])

    with pytest.raises(AssertionError, match="ValueError: no such device"):
        evaluated(LlmAgent(name="broken", model=Scripted(reply=fail)), str(path))


def test_details_are_printed_on_request(
    eval_set: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = eval_set("words.test.json", hi=[turn("hi", "hello")])

    evaluated(parrot(hi="hello"), str(path), print_detailed_results=False)
    quiet = capsys.readouterr().out
    evaluated(parrot(hi="hello"), str(path))

    assert quiet == ""
    assert "hello" in capsys.readouterr().out


def test_results_are_appended_to_a_table(eval_set: Callable[..., Path], workspace: Path) -> None:
    path = eval_set("words.test.json", hi=[turn("hi", "hello", {"name": "wave", "args": {}})])
    table = workspace / "out" / "results.csv"

    for _ in range(2):
        with pytest.raises(AssertionError):
            evaluated(parrot(hi="hello"), str(path), num_runs=1, output_file=str(table))

    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [(row["metric_name"], row["score"], row["eval_status"]) for row in rows[:2]] == [
        ("tool_trajectory_avg_score", "0.0", "FAILED"),
        ("response_match_score", "1.0", "PASSED"),
    ]
    assert len(rows) == 4
    assert rows[0]["expected_tool_calls"] == "wave {}"


def test_the_configuration_beside_the_file_holds(home_agent: Path) -> None:
    (home_agent / "test_config.json").write_text('{"criteria": {"tool_call_count_v1": 0.0}}')

    with pytest.raises(AssertionError, match="tool_call_count_v1"):
        evaluated("home_automation_agent", CASES)

    found = AgentEvaluator.find_config_for_test_file(CASES)
    assert found.criteria == {"tool_call_count_v1": 0.0}


def test_an_eval_set_may_be_made_in_the_test() -> None:
    eval_set = {
        "eval_set_id": "made",
        "eval_cases": [{"eval_id": "hi", "conversation": [turn("hi", "hello there")]}],
    }
    config = AgentEvaluator.find_config_for_test_file("nowhere/x.test.json")
    assert config.criteria == {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}

    asyncio.run(AgentEvaluator.evaluate_eval_set(parrot(hi="hello there"), eval_set, eval_config=config))
    with pytest.raises(AssertionError, match="response_match_score"):
        asyncio.run(
            AgentEvaluator.evaluate_eval_set(
                parrot(hi="no"), eval_set, criteria={"response_match_score": 0.9}, num_runs=1
            )
        )


OLD = [
    {
        "query": "Is it on?",
        "expected_tool_use": [{"tool_name": "get_device_info", "tool_input": {"device_id": "device_2"}}],
        "expected_intermediate_agent_responses": [],
        "reference": "It is on.",
    }
]


def test_an_old_file_starts_with_the_session_of_another(home_agent: Path, workspace: Path) -> None:
    session = {"id": "s", "app_name": "home", "user_id": "ann", "state": {"device_2": "ON"}}
    (workspace / "old.test.json").write_text(json.dumps(OLD))
    (workspace / "session.json").write_text(json.dumps(session))

    evaluated("home_automation_agent", "old.test.json", initial_session_file="session.json")
    AgentEvaluator.migrate_eval_data_to_new_schema("old.test.json", "new.test.json", "session.json")
    evaluated("home_automation_agent", "new.test.json")

    with pytest.raises(InputError, match="initial_session_file is for files in the old shape"):
        evaluated("home_automation_agent", "new.test.json", initial_session_file="session.json")


def test_an_old_file_with_a_session_is_called_by_its_own_name(
    home_agent: Path, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = workspace / "hometests"
    folder.mkdir()
    (folder / "name.test.json").write_text(json.dumps(OLD))
    (workspace / "session.json").write_text(
        json.dumps({"id": "s", "app_name": "home", "user_id": "ann", "state": {"device_2": "OFF"}})
    )

    with pytest.raises(AssertionError) as failed:
        evaluated("home_automation_agent", "hometests/name.test.json", initial_session_file="session.json")

    assert str(failed.value).startswith("hometests/name.test.json:")
    assert "FAIL hometests/name.test.json:" in capsys.readouterr().out


def test_a_failure_begins_with_the_case_and_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    made = {"eval_set_id": "made", "eval_cases": [{"eval_id": "hi", "conversation": [turn("hi", "hello")]}]}

    with pytest.raises(AssertionError) as failed:
        asyncio.run(
            AgentEvaluator.evaluate_eval_set(
                parrot(hi="no"), made, criteria={"response_match_score": 1.0}, num_runs=1
            )
        )

    first, *_, last = str(failed.value).splitlines()
    assert first.startswith("made:hi: response_match_score 0.00")
    assert "1.00" in first
    assert last.startswith("FAIL, run ")
    assert "FAIL made:hi" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"num_runs": 0}, ValueError, "num_runs"),
        ({"agent_name": "nobody"}, InputError, "no agent named 'nobody'"),
        ({"eval_set_results_manager": object()}, InputError, "eval_set_results_manager"),
    ],
)
def test_what_cannot_work_is_said(
    home_agent: Path, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        evaluated("home_automation_agent", CASES, **options)


def test_a_folder_without_tests_is_nothing_to_evaluate(workspace: Path) -> None:
    with pytest.raises(ValueError, match="nothing to evaluate"):
        evaluated("home_automation_agent", str(workspace))
