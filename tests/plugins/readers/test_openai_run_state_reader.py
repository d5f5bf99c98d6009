"""RunState of OpenAI's Agents SDK: items by agent and response, programs, what was put in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import Trajectory
from adjudge.plugin import InputError


def item(kind: str, agent: str = "a", **raw: Any) -> dict[str, Any]:
    return {"type": kind, "agent": {"name": agent}, "raw_item": raw}


def call(identity: str, name: str, agent: str = "a") -> dict[str, Any]:
    return item("tool_call_item", agent, type="function_call", call_id=identity, name=name, arguments="{}")


def output(identity: str, value: str, agent: str = "a") -> dict[str, Any]:
    return item("tool_call_output_item", agent, type="function_call_output", call_id=identity, output=value)


def words(text: str, agent: str = "a") -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return item("message_output_item", agent, type="message", id=text, role="assistant", content=content)


def read(folder: Path, *items: dict[str, Any], **others: Any) -> Trajectory:
    state = {"$schemaVersion": "1.4", "original_input": "Go.", "generated_items": items, **others}
    (folder / "state.json").write_text(json.dumps(state))
    [run] = read_log(folder / "state.json")
    return run


def test_handoffs_change_the_agent_and_what_came_at_once_is_one_step(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        call("1", "look"),
        call("2", "transfer_to_b"),
        output("1", "seen"),
        output("2", "{'assistant': 'b'}"),
        words("Done.", "b"),
    )
    first, last = run.steps
    assert (first.author, [made.name for made in first.calls]) == ("a", ["look", "transfer_to_b"])
    assert [(given.call_id, given.value) for given in first.results] == [
        ("1", "seen"),
        ("2", "{'assistant': 'b'}"),
    ]
    assert last.author == "b"
    assert run.invocations[0].final_response is not None


def test_items_of_the_session_where_handoffs_shortened_the_others(tmp_path: Path) -> None:
    run = read(
        tmp_path, words("Done."), session_items=[call("1", "look"), output("1", "seen"), words("Done.")]
    )
    assert [made.name for step in run.steps for made in step.calls] == ["look"]


def test_an_unknown_item_is_kept_and_said(tmp_path: Path) -> None:
    run = read(tmp_path, item("new_item", type="dream", text="x"), words("Done."))
    assert any("'dream'" in lost for lost in run.lost)


def test_what_waits_for_approval_is_kept(tmp_path: Path) -> None:
    step = {"type": "next_step_interruption", "data": {"interruptions": []}}
    assert (read(tmp_path, call("1", "buy"), current_step=step).extra or {})["current_step"] == step


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="found no state"):
        list(read_log(tmp_path / "state.json", reader="openai_run_state"))


def test_real_states(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "openai_agents_runstate").glob("*.json"))
    assert paths
    for path in paths:
        state = json.loads(path.read_text())
        [run] = read_log(path)
        given = state["original_input"]
        assert run.goal == (given if isinstance(given, str) else "")
        known = {found["id"] for found in given} if isinstance(given, list) else set()
        items = [
            found["raw_item"]
            for found in state["generated_items"]
            if found["raw_item"].get("id") not in known
        ]
        calls = [found for found in items if found["type"] in {"function_call", "program"}]
        assert [made.id for step in run.steps for made in step.calls] == [found["call_id"] for found in calls]
        assert [(result.call_id, result.value) for step in run.steps for result in step.results] == [
            (found["call_id"], found["result"]) for found in items if found["type"] == "program_output"
        ]
        said = [found["content"][0]["text"] for found in (given if isinstance(given, list) else [])]
        assert [turn.final_response.text for turn in run.invocations if turn.final_response] == said
        assert {step.author for step in run.steps} <= {state["current_agent"]["name"]}
