"""Sessions of Claude Code: blocks of one message, sub-agents, compaction, what is not said by the user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import ErrorItem, Observation, Trajectory
from adjudge.plugin import InputError

PROMPT = "Count the files."


def record(kind: str, uuid: str, after: str | None = None, **others: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "parentUuid": after, "sessionId": "s", "isSidechain": False, **others}


def user(uuid: str, *content: Any, after: str | None = None, **others: Any) -> dict[str, Any]:
    return record("user", uuid, after, message={"role": "user", "content": list(content)}, **others)


def agent(uuid: str, message: str, *content: Any, after: str | None = None, **others: Any) -> dict[str, Any]:
    said = {
        "id": message,
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "usage": {"output_tokens": len(uuid)},
    }
    return record("assistant", uuid, after, message=said, **others)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(identity: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def result(identity: str, value: str = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": value}


def read(folder: Path, *records: dict[str, Any], name: str = "session.jsonl") -> Trajectory:
    (folder / name).write_text("\n".join(map(json.dumps, records)))
    [run] = read_log(folder / name)
    return run


def test_blocks_of_one_message_are_one_step_also_where_results_stand_between(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        user("1", text("Go.")),
        agent("2", "m1", {"type": "thinking", "thinking": "Hm."}),
        agent("3", "m1", call("a")),
        user("4", result("a", "one")),
        agent("55", "m1", call("b")),
        user("6", result("b", "two")),
        agent("7", "m2", text("Done.")),
    )
    first, last = run.steps
    assert (first.thinking, [step.id for step in first.calls]) == ("Hm.", ["a", "b"])
    assert [(item.call_id, item.value) for item in first.results] == [("a", "one"), ("b", "two")]
    assert first.usage is not None
    assert first.usage.output_tokens == len("55")
    assert last.calls == ()
    assert run.invocations[0].final_response is not None


SIDE = {"isSidechain": True}


def side_chain(**others: Any) -> list[dict[str, Any]]:
    return [
        user("s1", text(PROMPT), **SIDE, **others),
        agent("s2", "sm1", call("sb"), after="s1", **SIDE, **others),
        user("s3", result("sb", "7"), after="s2", **SIDE, **others),
        agent("s4", "sm2", text("Seven."), after="s3", **SIDE, **others),
    ]


def around(*inner: dict[str, Any], **of_result: Any) -> list[dict[str, Any]]:
    return [
        user("1", text("Go.")),
        agent("2", "m1", call("t", "Task", prompt=PROMPT), after="1"),
        *inner,
        user("3", result("t", "Seven."), after="2", **of_result),
        agent("4", "m2", text("There are seven."), after="3"),
    ]


@pytest.mark.parametrize("form", ["same_file", "by_id", "beside", "own_folder"])
def test_the_steps_of_a_sub_agent_are_inside_its_call(tmp_path: Path, form: str) -> None:
    of_result: dict[str, Any] = {"toolUseResult": {"agentId": "abc"}}
    match form:
        case "same_file":
            run = read(tmp_path, *around(*side_chain()))
        case "by_id":
            run = read(tmp_path, *around(*side_chain(agentId="abc"), **of_result))
        case _:
            folder = tmp_path if form == "beside" else tmp_path / "session" / "subagents"
            folder.mkdir(parents=True, exist_ok=True)
            lines = map(json.dumps, side_chain(agentId="abc"))
            (folder / "agent-abc.jsonl").write_text("\n".join(lines))
            run = read(tmp_path, *around(**of_result))
    [turn] = run.invocations
    inner = [step for step in turn.steps if step.parent_call_id == "t"]
    assert [step.author for step in inner if step.role == "assistant"] == (
        ["sub-agent"] * 2 if form == "same_file" else ["agent-abc"] * 2
    )
    assert [result.value for step in inner for result in step.results] == ["7"]
    assert [step.text for step in inner][-1] == "Seven."
    assert inner[0].observations == (Observation(text=PROMPT, source="prompt"),)
    assert [call.name for call in turn.tool_calls] == ["Task"]
    assert turn.final_response is not None
    assert turn.final_response.text == "There are seven."
    assert len(run.steps) == 5
    assert run.steps[-1].parent_call_id is None


def test_a_sub_agent_whose_file_is_absent_or_has_an_odd_name(tmp_path: Path) -> None:
    (tmp_path / "agent-x.jsonl").write_text(json.dumps(agent("s2", "sm1", text("x"))))
    absent = read(tmp_path, *around(toolUseResult={"agentId": "abc"}))
    assert "the steps of a sub-agent, whose file is not beside this one" in absent.lost
    (tmp_path / "logs").mkdir()
    odd = read(tmp_path / "logs", *around(toolUseResult={"agentId": "x/../../agent-x"}))
    assert len(odd.steps) == 2


def test_side_steps_of_no_known_call_are_kept_and_said(tmp_path: Path) -> None:
    chain = side_chain()
    chain[0]["message"]["content"] = [text("Another prompt.")]
    run = read(tmp_path, *around(*chain))
    assert any("which call the steps of a sub-agent belong to" in lost for lost in run.lost)
    assert [step.author for step in run.steps].count("sub-agent") == 2


def test_the_file_of_a_sub_agent_alone_is_its_run(tmp_path: Path) -> None:
    run = read(tmp_path, *side_chain(agentId="abc"), name="agent-abc.jsonl")
    assert (run.agent, run.goal, len(run.steps)) == ("agent-abc", PROMPT, 2)
    assert run.invocations[0].final_response is not None


def test_compaction_is_observed_and_begins_no_turn(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        user("1", text("Go.")),
        agent("2", "m1", call("a")),
        record(
            "system",
            "3",
            subtype="compact_boundary",
            content="Conversation compacted",
            compactMetadata={"trigger": "auto"},
        ),
        user("4", text("They went."), isCompactSummary=True),
        agent("5", "m2", text("Done.")),
    )
    assert len(run.invocations) == 1
    assert [item for step in run.steps for item in step.observations] == [
        Observation(text="Conversation compacted", source="compact_boundary", extra={"trigger": "auto"}),
        Observation(text="They went.", source="compaction"),
    ]


def test_what_claude_code_says_is_not_said_by_the_user(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        user("0", text("Caveat: ..."), isMeta=True),
        user("1", text("Go.")),
        agent("2", "m1", call("a")),
        record("attachment", "3", attachment={"type": "queued_command", "prompt": "Faster!"}),
        record("system", "4", subtype="api_error", error={"message": "overloaded"}),
        record("assistant", "5", isApiErrorMessage=True, message={"content": [text("API Error: 529")]}),
        record("attachment", "6", attachment={"type": "todo_reminder"}),
        agent("7", "m2", text("Done.")),
    )
    assert [turn.user_content.text for turn in run.invocations] == ["Go.", "Faster!"]
    assert run.invocations[0].steps[0].observations == (
        Observation(text="Caveat: ...", source="claude_code"),
    )
    assert [item for step in run.steps for item in step.errors] == [
        ErrorItem(message="overloaded", code="api_error"),
        ErrorItem(message="API Error: 529", code="api_error"),
    ]
    assert run.lost == ("records 'attachment' of type 'todo_reminder'",)


@pytest.mark.parametrize(
    "words",
    [
        "<local-command-stdout>42 tests passed</local-command-stdout>",
        "<local-command-stderr>No such command.</local-command-stderr>",
        "<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification><status>completed</status></task-notification>",
        "<system-reminder>The list of tasks is empty.</system-reminder>",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond.",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    ],
)
def test_a_message_that_claude_code_wrote_in_the_name_of_the_user_is_observed(
    tmp_path: Path, words: str
) -> None:
    run = read(
        tmp_path,
        user("1", text("Go."), text(words)),
        agent("2", "m1", call("a")),
        user("3", result("a"), text(words)),
        user("4", text(words)),
        agent("5", "m2", text("Done.")),
        user("6", text(f"What does {words} mean?")),
    )
    assert [turn.user_content.text for turn in run.invocations] == ["Go.", f"What does {words} mean?"]
    seen = [item for step in run.steps for item in step.observations]
    assert seen == [Observation(text=words, source="claude_code")] * 3
    assert [found.value for step in run.steps for found in step.results] == ["done"]


def test_a_prompt_that_was_written_again(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        user("1", text("Go.")),
        agent("2", "m1", text("Where?"), after="1"),
        user("3", text("There."), after="2"),
        user("4", text("Here."), after="2"),
    )
    assert [turn.user_content.text for turn in run.invocations] == ["Go.", "There.", "Here."]
    assert any("a prompt was written again" in lost for lost in run.lost)


def test_a_first_line_that_is_longer_than_the_head_is_recognised(tmp_path: Path) -> None:
    run = read(tmp_path, user("1", text("Go. " * 30_000)), agent("2", "m1", text("Done.")))
    assert len(run.steps) == 1


def test_a_file_without_messages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"type": "summary", "summary": "x"}')
    with pytest.raises(InputError, match="no message of a session"):
        list(read_log(tmp_path / "s.jsonl", reader="claude_code"))


def raw(path: Path) -> list[dict[str, Any]]:
    values = (json.loads(line) for line in path.read_text().splitlines() if line.strip())
    return [value for value in values if isinstance(value, dict) and isinstance(value.get("message"), dict)]


def blocks(path: Path, role: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for row in raw(path):
        content = row["message"].get("content")
        parts = [content] if isinstance(content, str) else content or []
        told = [text(part) if isinstance(part, str) else part for part in parts]
        found += [(row, part) for part in told if row["type"] == role]
    return found


def test_real_sessions(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "claude_code").glob("*.jsonl"))
    assert paths
    for path in paths:
        [run] = read_log(path)
        own, users = blocks(path, "assistant"), blocks(path, "user")
        assert len([step for step in run.steps if step.role == "assistant"]) == len(
            {row["message"]["id"] for row, _ in own}
        )
        assert [call.id for step in run.steps for call in step.calls] == [
            part["id"] for _, part in own if part["type"] == "tool_use"
        ]
        assert [item.value for step in run.steps for item in step.results] == [
            part["content"] for _, part in users if part["type"] == "tool_result"
        ]
        words = [part["text"] for _, part in users if part["type"] == "text"]
        prompts = [text for text in words if not text.startswith(("<local-command-stdout>", "Caveat: "))]
        assert [turn.user_content.text for turn in run.invocations] == prompts
        assert run.goal.startswith(prompts[0])
        said = [part["text"] for _, part in own if part["type"] == "text"]
        told = [
            words
            for turn in run.invocations
            for words in [
                *(step.text for step in turn.steps),
                turn.final_response and turn.final_response.text,
            ]
            if words
        ]
        assert told == said
        shown = [
            row["toolUseResult"]
            for row in raw(path)
            if not row["message"].get("content") and "toolUseResult" in row
        ]
        seen = [item.text for step in run.steps for item in step.observations]
        assert sorted(seen) == sorted([*shown, *(text for text in words if text not in prompts)])
