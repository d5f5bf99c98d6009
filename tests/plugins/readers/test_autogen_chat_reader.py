"""Chats of several agents: names, what executed code brought back, tool responses, and what no judge may see."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.kit.logs import open_log
from adjudge.model import ErrorItem, Observation, Text, ToolCall, ToolResult
from adjudge.plugin import (
    InputError,
    ReadOptions,
    Source,
    TraceReader,
    Trajectory,
)
from adjudge_plugins.readers import autogen_chat_reader as plugin

REPORT = "exitcode: 0 (execution succeeded)\nCode output: 4\n"
FAILURE = "exitcode: 1 (execution failed)\nCode output: NameError\n"
NO_CODE = "There is no code from the last 1 message for me to execute."


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def read_all(path: Path, task: str | None = None) -> list[Trajectory]:
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    return list(reader().read(Source(path), ReadOptions(task=task)))


def read(folder: Path, *messages: dict[str, Any], task: str | None = None, **others: Any) -> Trajectory:
    path = folder / "chat.json"
    path.write_text(json.dumps({"chat_history": messages, **others}))
    (trajectory,) = read_all(path, task)
    return trajectory


def said(name: str, content: str | None, role: str = "user", **others: Any) -> dict[str, Any]:
    return {"content": content, "role": role, "name": name, **others}


def test_every_message_is_a_step_of_whoever_is_named(tmp_path: Path) -> None:
    chat = read(
        tmp_path, said("planner", "Count.", "assistant"), said("coder", "Four."), said("planner", "Good.")
    )
    assert [(step.number, step.author) for step in chat.steps] == [
        (1, "planner"),
        (2, "coder"),
        (3, "planner"),
    ]
    assert chat.steps[1].items == (Text(text="Four."),)
    assert chat.steps[1].source_ref == "chat.json:1 $.chat_history[1]"
    assert chat.eval_id == "chat"


def test_the_last_words_of_an_agent_are_the_answer(tmp_path: Path) -> None:
    [turn] = read(tmp_path, said("a", "Count."), said("b", "Four.")).invocations
    assert turn.final_response is not None
    assert turn.final_response.text == "Four."
    assert len(turn.steps) == 2


@pytest.mark.parametrize("last", [said("a", "TERMINATE"), said("shell", REPORT)])
def test_what_only_ends_a_chat_or_was_executed_is_no_answer(tmp_path: Path, last: dict[str, Any]) -> None:
    [turn] = read(tmp_path, said("a", "Count."), last).invocations
    assert turn.final_response is None


def test_executed_code_is_observed_and_not_said(tmp_path: Path) -> None:
    chat = read(
        tmp_path,
        said("coder", "```python\nprint(2 + 2)\n```"),
        said("shell", REPORT),
        said("shell", FAILURE),
        said("shell", NO_CODE),
        said("coder", "Four."),
    )
    assert [step.items for step in chat.steps[1:4]] == [
        (Observation(text=REPORT, source="execution"),),
        (ErrorItem(message=FAILURE, code="1"),),
        (Observation(text=NO_CODE),),
    ]


def test_an_agent_that_writes_a_report_itself_only_says_so(tmp_path: Path) -> None:
    chat = read(tmp_path, said("coder", "I run it."), said("coder", REPORT), said("a", "Well done."))
    assert chat.steps[1].items == (Text(text=REPORT),)
    assert not chat.steps[1].observations


def test_a_role_that_is_no_text_is_lost(tmp_path: Path) -> None:
    responses = [{"tool_call_id": "c1", "role": "tool", "content": "4"}]
    chat = read(tmp_path, said("a", "Count."), {"role": 0, "tool_responses": responses, "content": "4"})
    step = chat.steps[1]
    assert step.role is None
    assert [item.value for item in step.results] == ["4"]
    assert chat.lost[0] == "the role of a message, which is no text"
    assert Trajectory.model_validate_json(chat.model_dump_json()) == chat


def test_tool_responses_go_to_the_calls_that_they_name(tmp_path: Path) -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "milk"}'}},
        {"id": "c2", "type": "function", "function": {"name": "search", "arguments": '{"q": "oats"}'}},
    ]
    responses = [
        {"tool_call_id": "c2", "role": "tool", "content": "1.49"},
        {"tool_call_id": "c1", "role": "tool", "content": "1.09"},
        {"tool_call_id": "other", "role": "tool", "content": "?"},
    ]
    chat = read(
        tmp_path,
        said("buyer", None, "assistant", tool_calls=calls),
        said("shop", "1.49\n\n1.09\n\n?", "tool", tool_responses=responses),
        said("buyer", "Milk."),
    )
    asked, answered, _ = chat.steps
    assert [item.id for item in asked.items if isinstance(item, ToolCall)] == ["c1", "c2"]
    assert [(item.call_id, item.value) for item in asked.items if isinstance(item, ToolResult)] == [
        ("c2", "1.49"),
        ("c1", "1.09"),
    ]
    assert answered.items == (ToolResult(value="?", call_id="other"),)


def test_a_function_message_names_the_function(tmp_path: Path) -> None:
    chat = read(tmp_path, said("a", "Look."), said("search", "1.09", "function"), said("a", "Milk."))
    assert chat.steps[1].items == (ToolResult(name="search", value="1.09"),)
    assert chat.steps[1].author is None


def test_the_task_is_what_the_chat_names_else_what_is_told(tmp_path: Path) -> None:
    message = said("a", "Count.")
    assert read(tmp_path, message, task="Told.").task == "Told."
    for key in ("task", "question"):
        chat = read(tmp_path, message, **{key: "Named."})
        assert chat.task == "Named."
        assert chat.invocations[0].user_content.text == "Named."


def test_what_chat_result_has_is_kept_and_answers_beside_a_chat_are_not(tmp_path: Path) -> None:
    labels = {"ground_truth": "SECRET", "mistake_agent": "SECRET", "mistake_step": "1", "is_correct": False}
    chat = read(tmp_path, said("a", "Count."), cost={"total": 0}, summary="Four.", **labels)
    assert chat.extra == {"cost": {"total": 0}, "summary": "Four."}
    assert "SECRET" not in chat.model_dump_json()
    assert {lost for lost in chat.lost if "actions" not in lost} == {f"{key!r} of the chat" for key in labels}


@pytest.mark.parametrize("form", ["lines", "list"])
def test_a_file_of_many_chats(tmp_path: Path, form: str) -> None:
    chats = [{"id": f"run-{at}", "history": [said("a", f"Chat {at}.")]} for at in range(3)]
    path = tmp_path / "chats.jsonl.gz"
    text = "\n".join(map(json.dumps, chats)) if form == "lines" else json.dumps(chats)
    path.write_bytes(gzip.compress(text.encode()))
    with open_log(Source(path)) as file:
        assert reader().sniff(file.read(64 * 1024), path)
    runs = list(reader().read(Source(path), ReadOptions()))
    assert [run.eval_id for run in runs] == ["run-0", "run-1", "run-2"]


@pytest.mark.parametrize(
    ("log", "said_of_it"),
    [
        ('{"history": [{"name": "a", "role": "robot", "content": "x"}]}', "'robot'"),
        ('{"history": [{"name": "a", "role": "user", "content": "x"}, 3]}', "$.history[1]"),
        (
            '{"history": [{"name": "a", "role": "user", "content": "x"}]}\n{"a": 1}',
            "no list chat_history or history",
        ),
        ("", "no chat"),
    ],
)
def test_what_is_broken_is_refused_with_its_place(
    refusal: Callable[..., str], log: str, said_of_it: str
) -> None:
    assert said_of_it in refusal(reader(), "chat.jsonl", log)


@pytest.mark.parametrize(
    "log",
    [
        '[{"role": "user", "content": "x", "name": "a"}]',  # OpenAI's messages
        '{"history": [{"role": "system", "content": "x", "agent": "main"}]}',  # SWE-agent's
        '{"history": [{"step": 1, "action": "click(1)"}]}',
        "nothing",
    ],
)
def test_other_formats_are_left_to_their_readers(tmp_path: Path, log: str) -> None:
    assert not reader().sniff(log.encode(), tmp_path / "log.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
messages = st.dictionaries(
    st.sampled_from(["role", "name", "content", "tool_calls", "tool_responses", "other"]),
    json_values,
    max_size=6,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(messages, max_size=4))
def test_whatever_is_in_a_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, chat: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("chats") / "chat.json"
    path.write_text(json.dumps({"history": chat}))
    try:
        [run] = reader().read(Source(path), ReadOptions())
    except InputError:
        return
    assert [step.number for step in run.steps] == list(range(1, len(chat) + 1))


def test_labelled_steps_are_those_of_the_labelled_agent(shared_data: Path) -> None:
    """The data counts messages from 0, a step's number from 1: one off, and three of four agents are others."""
    path = shared_data / "who_and_when" / "runs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    runs = list(reader().read(Source(path), ReadOptions()))
    hits = dict.fromkeys((0, 1, 2), 0)
    for row, run in zip(rows, runs, strict=True):
        authors = {step.number: step.author for step in run.steps}
        assert list(authors.values()) == [message["name"] for message in row["history"]]
        for shift in hits:
            hits[shift] += authors.get(int(row["mistake_step"]) + shift) == row["mistake_agent"]
    assert hits[1] > 0.95 * len(rows)
    assert max(hits[0], hits[2]) < 0.25 * len(rows)


def test_all_that_the_terminal_says_is_observed(shared_data: Path) -> None:
    path = shared_data / "who_and_when" / "runs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row, run in zip(rows, reader().read(Source(path), ReadOptions()), strict=True):
        said = [message["content"] for message in row["history"] if message["name"] == "Computer_terminal"]
        seen = [step.items for step in run.steps if step.author == "Computer_terminal"]
        came = [text for text in said if "(execution failed)" not in text.splitlines()[0]]
        observed = [item.text for items in seen for item in items if isinstance(item, Observation)]
        failed = [item.message for items in seen for item in items if isinstance(item, ErrorItem)]
        assert observed == came
        assert failed == [text for text in said if text not in came]
        [turn] = run.invocations
        assert turn.final_response is None or turn.final_response.text not in said


def test_answers_and_labels_of_the_data_set_are_not_read(shared_data: Path) -> None:
    path = shared_data / "who_and_when" / "runs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row, run in zip(rows, reader().read(Source(path), ReadOptions()), strict=True):
        assert row["mistake_reason"] not in run.model_dump_json()
        assert run.extra is None
