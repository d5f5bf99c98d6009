"""OpenHands: events of the application, of evaluations and of the SDK, and its logs of model calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import ErrorItem, Observation
from adjudge.plugin import InputError


def event(identity: int, source: str = "agent", **others: Any) -> dict[str, Any]:
    return {"id": identity, "timestamp": "2026-01-05T10:00:00", "source": source, **others}


ASKED = event(0, "user", action="message", args={"content": "Go."})
ACTED = event(1, action="run", args={"command": "ls", "thought": "Hm.", "hidden": False})
SEEN = event(2, observation="run", cause=1, content="a.py", extras={"metadata": {"exit_code": 0}})
DONE = event(3, action="finish", args={"thought": "Done.", "outputs": {}})


@pytest.mark.parametrize("form", ["list", "lines", "row", "pairs"])
def test_where_events_are(tmp_path: Path, form: str) -> None:
    path = tmp_path / "log.jsonl"
    events = [ASKED, ACTED, SEEN, DONE]
    match form:
        case "list":
            path.write_text(json.dumps(events))
        case "lines":
            path.write_text("\n".join(map(json.dumps, events)))
        case _:
            history = (
                events
                if form == "row"
                else [[ASKED, event(9, observation="null", content="")], [ACTED, SEEN], [DONE]]
            )
            row = {
                "instance_id": "i",
                "instruction": "Go.",
                "test_result": {"resolved": True},
                "history": history,
            }
            path.write_text(json.dumps(row))
    [run] = read_log(path)
    first, last = run.steps
    assert (first.thinking, first.calls[0].name, first.calls[0].args) == ("Hm.", "run", {"command": "ls"})
    assert first.results[0].value == "a.py"
    assert last.calls[0].name == "finish"
    [turn] = run.invocations
    assert turn.user_content.text == "Go."
    assert turn.final_response is not None
    assert turn.final_response.text == "Done."
    assert "resolved" not in run.model_dump_json()


def test_what_failed_and_what_was_condensed(tmp_path: Path) -> None:
    events = [
        ASKED,
        ACTED,
        event(2, observation="error", cause=1, content="no shell"),
        event(
            3, "environment", observation="error", content="no budget", extras={"error_id": "STATUS$BUDGET"}
        ),
        event(4, action="condensation", args={"summary": "They went."}),
        event(
            5, "environment", observation="agent_state_changed", content="", extras={"agent_state": "error"}
        ),
    ]
    (tmp_path / "log.json").write_text(json.dumps(events))
    [run] = read_log(tmp_path / "log.json")
    assert run.steps[0].results[0].is_error
    assert run.steps[1].errors == (ErrorItem(message="no budget", code="STATUS$BUDGET"),)
    assert run.steps[2].observations == (Observation(text="They went.", source="condensation"),)
    assert run.lost == ("observations 'agent_state_changed'",)


def test_events_of_the_sdk(tmp_path: Path) -> None:
    def text(words: str) -> list[dict[str, str]]:
        return [{"type": "text", "text": words}]

    named = {"tool_name": "terminal", "tool_call_id": "1"}
    events = [
        event(0, kind="SystemPromptEvent", system_prompt=text("Be brief.")[0], tools=[{"name": "terminal"}]),
        event(1, "user", kind="MessageEvent", llm_message={"role": "user", "content": text("Go.")}),
        event(
            2,
            kind="ActionEvent",
            thought=text("I look."),
            tool_call={"id": "1", "name": "terminal", "arguments": '{"command": "ls"}'},
            **named,
        ),
        event(3, "environment", kind="AgentErrorEvent", error="no shell", **named),
        event(
            4,
            kind="ActionEvent",
            tool_name="finish",
            tool_call_id="2",
            action={"kind": "FinishAction", "message": "Done."},
        ),
        event(5, "environment", kind="ConversationErrorEvent", code="budget", detail="spent"),
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, events)))
    [run] = read_log(tmp_path / "log.jsonl")
    first, last, broken = run.steps
    assert (first.thinking, first.calls[0].args) == ("I look.", {"command": "ls"})
    assert first.results[0].is_error
    assert last.calls[0].args == {"message": "Done."}
    assert broken.errors == (ErrorItem(message="spent", code="budget"),)
    [turn] = run.invocations
    assert turn.final_response is not None
    assert turn.app_details is not None
    assert turn.app_details.agent_details["assistant"].instructions == "Be brief."


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="found no event"):
        list(read_log(tmp_path / "log.json", reader="openhands"))


def test_real_runs_of_the_application(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "openhands").glob("*.json"))
    assert paths
    for path in paths:
        rows = json.loads(path.read_text())
        [run] = read_log(path)
        acted = [row for row in rows if row["source"] == "agent" and "action" in row]
        came = [row for row in rows if "observation" in row]
        assert run.goal == rows[0]["args"]["content"]
        assert [(call.name, call.id) for step in run.steps for call in step.calls] == [
            (row["tool_call_metadata"]["function_name"], row["tool_call_metadata"]["tool_call_id"])
            for row in acted
        ]
        assert [result.value for step in run.steps for result in step.results] == [
            row["content"] for row in came
        ]
        assert [step.thinking for step in run.steps[:-1]] == [row["args"]["thought"] for row in acted[:-1]]
        answer = run.invocations[0].final_response
        assert answer is not None
        assert answer.text == acted[-1]["args"]["thought"]


def test_real_events_of_the_sdk(shared_data: Path) -> None:
    path = shared_data / "more_logs" / "openhands_sdk" / "events.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    [run] = read_log(path)
    acted = [row for row in rows if row["kind"] == "ActionEvent"]
    came = [row for row in rows if row["kind"] == "ObservationEvent"]
    assert [(call.id, call.args) for step in run.steps for call in step.calls] == [
        (row["tool_call_id"], json.loads(row["tool_call"]["arguments"])) for row in acted
    ]
    assert [result.value for step in run.steps for result in step.results] == [
        "\n".join(part["text"] for part in row["observation"]["content"]) for row in came
    ]
    assert all(
        row["reasoning_content"] in (step.thinking or "")
        for row, step in zip(acted, [step for step in run.steps if step.calls], strict=True)
    )


def test_real_logs_of_model_calls_have_what_the_user_said(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "openhands_sdk").glob("litellm*.json"))
    assert paths
    for path in paths:
        row = json.loads(path.read_text())
        [run] = read_log(path)
        asked = row.get("raw_messages", row["messages"])[-1]["content"]
        assert run.goal == (asked if isinstance(asked, str) else asked[0]["text"])
        made = row["response"]["choices"][0]["message"]
        assert [call.id for step in run.steps for call in step.calls] == [
            call["id"] for call in made["tool_calls"]
        ]
