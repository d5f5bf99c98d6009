"""Rollouts of Codex: items, the events that repeat them, what Codex itself told the agent, compaction, old files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import ErrorItem, Observation, Trajectory
from adjudge.plugin import InputError

META = ("session_meta", {"id": "s", "instructions": "Be brief."})


def message(role: str, words: str) -> tuple[str, dict[str, Any]]:
    kind = "output_text" if role == "assistant" else "input_text"
    return "response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def item(kind: str, **others: Any) -> tuple[str, dict[str, Any]]:
    return "response_item", {"type": kind, **others}


def event(kind: str, **others: Any) -> tuple[str, dict[str, Any]]:
    return "event_msg", {"type": kind, **others}


def read(folder: Path, *lines: tuple[str, dict[str, Any]]) -> Trajectory:
    path = folder / "rollout.jsonl"
    records = (
        {"timestamp": "2026-01-05T10:00:00Z", "type": kind, "payload": payload} for kind, payload in lines
    )
    path.write_text("\n".join(map(json.dumps, records)))
    [run] = read_log(path)
    return run


def test_reasoning_words_and_calls_of_one_answer_are_one_step(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        META,
        message("user", "Go."),
        ("turn_context", {"model": "gpt-5"}),
        item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
        message("assistant", "I look."),
        item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id="1"),
        item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="2"),
        event(
            "token_count",
            info={"last_token_usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}},
        ),
        item("custom_tool_call_output", call_id="2", output="patched"),
        item("function_call_output", call_id="1", output={"content": "a.py", "success": True}),
        message("assistant", "Done."),
    )
    step, last = run.steps
    assert (step.thinking, step.text, step.model) == ("Hm.", "I look.", "gpt-5")
    assert [(call.name, call.args, call.raw_args) for call in step.calls] == [
        ("shell", {"command": ["ls"]}, None),
        ("apply_patch", None, "*** Begin Patch"),
    ]
    assert [(found.call_id, found.value) for found in step.results] == [
        ("2", "patched"),
        ("1", {"content": "a.py", "success": True}),
    ]
    assert step.usage is not None
    assert step.usage.total_tokens == 15
    assert last.items == ()
    details = run.invocations[0].app_details
    assert details is not None
    assert details.agent_details["codex"].instructions == "Be brief."


def test_what_codex_wrote_is_not_said_by_the_user(tmp_path: Path) -> None:
    told = "<environment_context>\n<cwd>/</cwd>\n</environment_context>"
    run = read(tmp_path, META, message("user", told), message("user", "Go."), message("assistant", "Done."))
    [turn] = run.invocations
    assert turn.user_content.text == "Go."
    assert turn.steps[0].observations == (Observation(text=told, source="codex"),)


def test_events_repeat_items_and_are_read_where_no_item_does(tmp_path: Path) -> None:
    twice = read(
        tmp_path,
        message("user", "Go."),
        event("user_message", message="Go."),
        message("assistant", "Done."),
        event("agent_message", message="Done."),
    )
    assert (len(twice.invocations), len(twice.steps)) == (1, 1)
    once = read(
        tmp_path,
        event("user_message", message="Go."),
        event("agent_reasoning", text="Hm."),
        event("agent_message", message="Done."),
        event("turn_aborted", reason="interrupted"),
        event("exec_command_end", call_id="1"),
    )
    [turn] = once.invocations
    assert (turn.user_content.text, turn.steps[0].thinking) == ("Go.", "Hm.")
    assert turn.final_response is not None
    assert turn.final_response.text == "Done."
    assert turn.steps[1].errors == (ErrorItem(message="interrupted", code="turn_aborted"),)
    assert once.lost == ("events 'exec_command_end'",)


def test_compaction_is_observed_and_encrypted_reasoning_is_lost(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        message("user", "Go."),
        item("reasoning", summary=[], encrypted_content="gAAA"),
        message("assistant", "One."),
        ("compacted", {"message": "They went."}),
        message("assistant", "Two."),
    )
    assert run.steps[1].observations == (Observation(text="They went.", source="compaction"),)
    assert run.lost == ("reasoning, which is encrypted",)


def test_items_that_are_no_messages_refuse_no_rollout(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        message("user", "Go."),
        item("tool_search_call", call_id="1", execution="client", arguments={"query": "mail"}),
        item("tool_search_output", call_id="1", execution="client", tools=[{"name": "send"}]),
        item("ghost_snapshot", ghost_commit={"id": "abc", "parent": None}),
        item("of_tomorrow", data=1),
        message("assistant", "Done."),
    )
    [call], [found] = run.steps[0].calls, run.steps[0].results
    assert (call.name, call.args) == ("tool_search", {"query": "mail"})
    assert (found.call_id, found.value) == ("1", [{"name": "send"}])
    assert run.lost == ("items of type 'ghost_snapshot'", "items of type 'of_tomorrow'")
    assert run.invocations[0].final_response is not None


def test_a_compaction_without_a_summary_is_said_to_be_lost(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        message("user", "Go."),
        message("assistant", "One."),
        ("compacted", {"message": "", "replacement_history": [{"type": "compaction"}]}),
        message("assistant", "Two."),
    )
    assert [step.observations for step in run.steps] == [(), ()]
    assert run.lost == ("the summary of a compaction, which is not in the rollout",)


def test_a_rollout_of_before_the_envelope(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    lines = [
        {"id": "s", "timestamp": "2025-06-01T10:00:00Z", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        message("user", "Go.")[1],
        message("assistant", "Done.")[1],
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    [run] = read_log(path)
    assert (run.session_id, run.goal, len(run.steps)) == ("s", "Go.", 1)
    assert run.extra == {"git": {"branch": "main"}}


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n2')
    with pytest.raises(InputError, match="no line of a rollout"):
        list(read_log(tmp_path / "x.jsonl", reader="codex"))


def test_real_rollouts(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "codex").glob("*.jsonl"))
    assert paths
    for path in paths:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        items = [row["payload"] for row in rows if row["type"] == "response_item"]
        calls = [found for found in items if found.get("type") == "function_call"]
        said = {
            role: [
                "".join(part["text"] for part in found["content"])
                for found in items
                if found.get("role") == role
            ]
            for role in ("user", "assistant")
        }
        [run] = read_log(path)
        assert [turn.user_content.text for turn in run.invocations] == said["user"]
        assert run.goal == said["user"][0]
        assert [(call.name, call.id, call.args) for turn in run.invocations for call in turn.tool_calls] == [
            (call["name"], call["call_id"], json.loads(call["arguments"]) if "arguments" in call else None)
            for call in calls
        ]
        assert [turn.final_response.text for turn in run.invocations if turn.final_response] == said[
            "assistant"
        ]
        assert {step.author for step in run.steps} == {"codex"}
        assert run.session_id == rows[0]["payload"]["id"]


def test_agents_and_their_sub_agents_say_what_stands_in_the_other_file(tmp_path: Path) -> None:
    spawn = item("function_call", name="spawn_agent", arguments='{"message": "Look."}', call_id="1")
    begun = item("function_call_output", call_id="1", output='{"agent_id": "child"}')
    parent = read(tmp_path, META, message("user", "Go."), spawn, begun)
    assert parent.extra is None
    assert any("a sub-agent did" in loss for loss in parent.lost)
    assert [call.name for call in parent.invocations[0].tool_calls] == ["spawn_agent"]

    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "s", "depth": 1}}}
    child = read(tmp_path, ("session_meta", {"id": "child", "source": spawned}), message("user", "Look."))
    assert (child.session_id, child.extra) == ("child", {"source": spawned, "parent_thread_id": "s"})
    assert any("the agent that began this one: s" in loss for loss in child.lost)

    review = read(
        tmp_path, ("session_meta", {"id": "r", "source": {"subagent": "review"}}), message("user", "Look.")
    )
    assert not any("rollout" in loss for loss in review.lost)
