"""Recordings evaluated as if the agent ran now."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.kit.adk import invocation_to_adk
from adjudge.model import Content, SessionInput
from adjudge.plugin import (
    AgentError,
    InputError,
    ReadOptions,
    SessionRequest,
    Source,
)
from adjudge.testing import FakeHost
from adjudge_plugins.agents import recorded_agent as plugin
from adjudge_plugins.readers.adk_session_reader.reader import AdkSessionReader

TRAJECTORY = {"criteria": {"tool_trajectory_avg_score": 1.0}}


def turn(said: str, answer: str, *calls: str) -> dict[str, Any]:
    return {
        "user_content": {"parts": [{"text": said}]},
        "final_response": {"parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": [{"name": name, "args": {}} for name in calls]},
    }


def eval_set(
    path: Path, cases: Mapping[str, Sequence[dict[str, Any]]], *, set_id: str = "some", **more: Any
) -> Path:
    cases_ = [{"eval_id": name, "conversation": turns, **more} for name, turns in cases.items()]
    path.write_text(json.dumps({"eval_set_id": set_id, "eval_cases": cases_}))
    return path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def evaluate(cases: Path, recording: str = "done.json", **options: Any) -> adjudge.RunResult:
    return adjudge.evaluate_sync(
        f"recorded:{recording}", cases, config=options.pop("config", TRAJECTORY), **options
    )


def test_an_eval_set_file_is_what_the_agent_did(tmp_path: Path) -> None:
    cases = eval_set(
        tmp_path / "cases.json", {"good": [turn("a", "b", "look")], "bad": [turn("a", "b", "look")]}
    )
    eval_set(tmp_path / "done.json", {"bad": [turn("a", "b", "jump")], "good": [turn(" a", "b", "look")]})
    result = evaluate(cases)
    assert {case.eval_id: case.status for case in result.cases()} == {"good": "PASS", "bad": "FAIL"}


def test_the_recorded_state_is_the_sessions_state(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"a": [turn("a", "b")]}, final_session_state={"light": "off"})
    eval_set(tmp_path / "done.json", {"a": [turn("a", "b")]}, final_session_state={"light": "on"})
    (case,) = evaluate(cases).details()
    assert case.actual.final_session_state == {"light": "on"}


def test_repeats_are_recordings_in_the_order_of_the_file(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"7": [turn("a", "b", "look")]})
    said = {"role": "user", "content": "a"}
    rows = [
        {"task_id": 7, "trial": trial, "traj": [said, {"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": name, "arguments": "{}"}}]}]}
        for trial, name in enumerate(["look", "jump", "look"])
    ]  # fmt: skip
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = evaluate(cases, "runs.jsonl", num_runs=3)
    assert [case.criteria[0].score for case in result.cases()] == [1.0, 0.0, 1.0]


def test_every_case_that_cannot_be_paired_is_named_before_the_run(tmp_path: Path) -> None:
    one = [turn("a", "b")]
    cases = eval_set(tmp_path / "cases.json", {"weather": one, "news": one, "sport": one})
    eval_set(tmp_path / "done.json", {"wether": one, "news": one})
    with pytest.raises(InputError) as caught:
        evaluate(cases, num_runs=2)
    message = str(caught.value)
    assert "no recording of case 'weather'. Did you mean 'wether'?" in message
    assert "no recording of case 'sport'" in message
    assert "1 recording of case 'news', 2 repeats are asked for" in message


def test_a_foreign_recording_does_not_flood(tmp_path: Path) -> None:
    one = [turn("a", "b")]
    cases = eval_set(tmp_path / "cases.json", {f"case {index:03}": one for index in range(50)})
    eval_set(tmp_path / "done.json", {"other": one})
    with pytest.raises(InputError, match="no recording of 30 further cases"):
        evaluate(cases)


def test_another_number_of_turns_is_an_error_of_the_case(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"a": [turn("a", "b")], "b": [turn("a", "b", "look")]})
    eval_set(
        tmp_path / "done.json",
        {"a": [turn("a", "b", "look"), turn("c", "d", "jump")], "b": [turn("a", "b", "look")]},
    )
    first, second = evaluate(cases).details()
    assert first.result.status == "error"
    assert first.result.error is not None
    assert first.result.error.code == "turn_count"
    assert "the recording has 2 turns, the case has 1" in first.result.error.message
    assert [call.name for step in first.actual.steps for call in step.calls] == ["look", "jump"]
    assert second.result.status == "PASS"


def only_error(result: adjudge.RunResult) -> tuple[str, str]:
    (case,) = result.cases()
    assert case.status == "error"
    assert case.error is not None
    return case.error.code, case.error.message


def test_a_recording_of_another_eval_set_is_an_error_of_the_case(tmp_path: Path) -> None:
    """Their ids happen to be equal, and so are their first words."""
    cases = eval_set(tmp_path / "cases.json", {"a": [turn("Hello", "Hi", "look")]}, set_id="weather")
    eval_set(tmp_path / "done.json", {"a": [turn("Hello", "Hi", "look")]}, set_id="news")
    code, message = only_error(evaluate(cases))
    assert code == "not_the_same_conversation"
    assert "the eval set 'news', the case to 'weather'" in message
    assert "any_conversation=true" in message
    assert evaluate(cases, agent_options={"any_conversation": True}).passed


def test_a_recording_in_which_the_user_says_something_else_is_an_error_of_the_case(tmp_path: Path) -> None:
    cases = eval_set(
        tmp_path / "cases.json", {"a": [turn("Hello", "Hi"), turn("Rain  today?", "No", "look")]}
    )
    eval_set(tmp_path / "done.json", {"a": [turn("Hello", "Hi"), turn("Rain tomorrow?", "No", "look")]})
    code, message = only_error(evaluate(cases))
    assert code == "not_the_same_conversation"
    assert "in turn 2 of the recording the user says 'Rain tomorrow?', in the case 'Rain today?'" in message
    assert evaluate(cases, agent_options={"any_conversation": True}).passed


def test_the_id_of_an_eval_set_may_stand_behind_its_cases(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"a": [turn("a", "b")]}, set_id="weather")
    found = json.loads(cases.read_text())["eval_cases"]
    (tmp_path / "done.json").write_text(json.dumps({"eval_cases": found, "name": "n", "evalSetId": "news"}))
    assert only_error(evaluate(cases))[0] == "not_the_same_conversation"


def test_an_old_file_and_what_became_of_it_are_one_conversation(tmp_path: Path) -> None:
    """Only the new file has an id of its own; ADK makes one up, and names the case after the old file's path."""
    old = tmp_path / "dice.test.json"
    uses = [{"tool_name": "roll", "tool_input": {}}]
    old.write_text(json.dumps([{"query": "Roll", "expected_tool_use": uses, "reference": "3"}]))
    adk = {"evals/home/dice.test.json": [turn("Roll", "3", "roll")]}
    eval_set(tmp_path / "done.json", adk, set_id="e3f0")
    result = evaluate(old)
    assert result.passed
    [warning] = result.warnings
    assert "the recording 'evals/home/dice.test.json' is taken for case 'dice'" in warning

    migrated = eval_set(tmp_path / "cases.json", adk, set_id="e3f0")
    assert evaluate(migrated, old.name).passed


def test_two_recordings_named_after_files_of_one_name_are_told_apart_by_nobody(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"dice": [turn("a", "b")], "x": [turn("a", "b")]})
    one = [turn("a", "b")]
    eval_set(tmp_path / "done.json", {"a/dice.test.json": one, "b/dice.test.json": one, "x": one})
    with pytest.raises(InputError, match="no recording of case 'dice'"):
        evaluate(cases)


def test_one_recording_and_one_case_need_no_common_id(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"greeting": [turn("a", "b")], "other": [turn("c", "d")]})
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    (tmp_path / "done.json").write_text(json.dumps({"eval_id": "17", "messages": said}))
    one = adjudge.evaluate_sync("recorded:done.json", f"{cases}:greeting", config=TRAJECTORY)
    assert one.passed
    assert [
        "its only recording, '17', is taken for the only case, 'greeting'" in it for it in one.warnings
    ] == [True]

    another = adjudge.evaluate_sync("recorded:done.json", f"{cases}:other", config=TRAJECTORY)
    assert only_error(another)[0] == "not_the_same_conversation"
    with pytest.raises(InputError, match="no recording of case 'other'"):
        evaluate(cases)


def test_a_session_of_adk_is_a_recording(shared_data: Path, tmp_path: Path) -> None:
    """Its id is a number that somebody's server gave it."""
    session = shared_data / "adk_eval_files" / "customer_service" / "123.session.json"
    (trajectory,) = AdkSessionReader().read(Source(session), ReadOptions())
    turns = [invocation_to_adk(turn) for turn in trajectory.invocations]
    cases = eval_set(tmp_path / "cases.json", {"shopping": turns})
    result = adjudge.evaluate_sync(f"recorded:{session}", cases, config=TRAJECTORY)
    assert result.passed
    assert any("is taken for the only case, 'shopping'" in warning for warning in result.warnings)


def test_a_user_who_goes_on_is_an_error(tmp_path: Path) -> None:
    eval_set(tmp_path / "done.json", {"a": [turn("a", "b")]})

    async def talk() -> None:
        (spec,) = plugin.agent_adapters()
        from adjudge_plugins.readers.eval_set_reader.reader import EvalSetReader

        logs = {"done.json": list(EvalSetReader().read(Source(tmp_path / "done.json"), ReadOptions()))}
        adapter = spec.factory(spec.config(target=Path("done.json")), FakeHost(tmp_path, logs=logs))
        request = SessionRequest(eval_id="a", repeat=1, session_input=SessionInput())
        session = await adapter.open_session(request, lambda step: None)
        await session.send(Content.of_text("a"))
        await session.send(Content.of_text("again"))

    with pytest.raises(AgentError, match="1 turn, the user went on"):
        asyncio.run(talk())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        ("{}", "no trace reader knows this format"),
        ('{"messages": [{"role": "user", "content": "a"}', "done.json"),
        ('{"eval_set_id": "x", "eval_cases": [{"eval_id": "a", "conversation_scenario": {"starting_prompt": "a", "conversation_plan": "b"}}]}', "contains no recording"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_before_the_run(
    tmp_path: Path, content: str | None, message: str
) -> None:
    cases = eval_set(tmp_path / "cases.json", {"a": [turn("a", "b")]})
    if content is not None:
        (tmp_path / "done.json").write_text(content)
    with pytest.raises(InputError) as caught:
        evaluate(cases)
    assert message in str(caught.value)


def test_the_reader_can_be_named(tmp_path: Path) -> None:
    cases = eval_set(tmp_path / "cases.json", {"a": [turn("a", "b")]})
    eval_set(tmp_path / "done.json", {"a": [turn("a", "b")]})
    assert evaluate(cases, agent_options={"reader": "eval_set"}).passed
    with pytest.raises(InputError, match="found no run"):
        evaluate(cases, agent_options={"reader": "openai_messages"})


def test_every_real_eval_set_passes_against_itself(shared_data: Path) -> None:
    files = sorted((shared_data / "adk_eval_files").rglob("*.test.json"))
    assert files
    for path in files:
        result = adjudge.evaluate_sync(f"recorded:{path}", path, config=TRAJECTORY)
        assert result.passed, path


def test_the_user_of_a_scenario_says_what_is_recorded_and_no_model_is_needed(tmp_path: Path) -> None:
    eval_set(tmp_path / "done.json", {"ask": [turn("Hi", "Yes?"), turn("Light, please.", "Here.", "switch")]})
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Ask for light.", "user_persona": "NOVICE"}
    cases = tmp_path / "cases.json"
    cases.write_text(
        json.dumps(
            {
                "eval_set_id": "some",
                "eval_cases": [
                    {"eval_id": "ask", "conversation_scenario": scenario},
                    {"eval_id": "never", "conversation_scenario": scenario},
                ],
            }
        )
    )
    config = {"criteria": {"tool_call_count_v1": {"maximum": 3}}}
    [case] = evaluate(Path(f"{cases}:ask"), config=config).details()
    assert case.result.status == "PASS"
    assert case.result.simulation is None
    assert [item.user_content.text for item in case.actual.invocations] == ["Hi", "Light, please."]

    with pytest.raises(InputError, match="no recording of case 'never'"):
        evaluate(cases, config=config)
    wrong = {**config, "user_simulator_config": {"modle": "x"}}
    with pytest.raises(InputError, match="Did you mean 'model'"):
        evaluate(Path(f"{cases}:ask"), config=wrong)
