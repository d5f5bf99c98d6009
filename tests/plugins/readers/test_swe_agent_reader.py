"""Trajectories of SWE-agent: entries, histories without entries, function calls and commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model import Claim, Observation, Text, ToolCall, ToolResult
from adjudge.plugin import (
    InputError,
    ReadOptions,
    Source,
    TraceReader,
    Trajectory,
)
from adjudge_plugins.readers import swe_agent_reader as plugin

SYSTEM = {"role": "system", "content": "Use the shell.", "agent": "main", "message_type": "system_prompt"}
DEMO = {"role": "user", "content": "Here is a demonstration.", "agent": "main", "is_demo": True}
ISSUE = {"role": "user", "content": "Fix the colon.", "agent": "main", "message_type": "observation"}


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def read(folder: Path, task: str | None = None, **content: Any) -> Trajectory:
    path = folder / "repo__issue-1.traj"
    path.write_text(json.dumps(content))
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions(task=task))
    return trajectory


def entry(action: str, observation: str = "", **others: Any) -> dict[str, Any]:
    return {"action": action, "observation": observation, "response": "t", "thought": "t", **others}


def answer(action: str, call: dict[str, Any] | None = None, **others: Any) -> dict[str, Any]:
    calls = None if call is None else [{"id": "c1", "type": "function", "function": call}]
    message = {"role": "assistant", "content": "t", "thought": "t", "action": action, "agent": "main"}
    return {**message, "tool_calls": calls, **others}


OPEN = {"name": "open", "arguments": '{"path": "a.py"}'}


# --- entries --------------------------------------------------------------------------


def test_entries_are_steps(tmp_path: Path) -> None:
    trajectory = read(
        tmp_path,
        environment="swe_main",
        trajectory=[
            entry(
                "grep -n colon a.py\n",
                "3: colon",
                state='{"open_file": "n/a"}',
                execution_time=0.5,
                query=[ISSUE],
            ),
            entry("submit", "", state={"open_file": "a.py"}, extra_info={}, response="t\n```\nsubmit\n```"),
        ],
        history=[SYSTEM, DEMO, ISSUE],
        info={"exit_status": "submitted", "submission": "a patch"},
        replay_config="{}",
    )
    (turn,) = trajectory.invocations
    first, second = turn.steps
    assert first.items == (
        Claim(text="t"),
        ToolCall(name="grep", raw_args="-n colon a.py"),
        ToolResult(name="grep", value="3: colon"),
    )
    assert (first.duration, first.extra, first.model_response) == (0.5, {"state": {"open_file": "n/a"}}, None)
    assert second.items == (
        Claim(text="t"),
        ToolCall(name="submit", args={}),
        ToolResult(name="submit", value=""),
    )
    assert second.model_response == "t\n```\nsubmit\n```"
    assert [step.source_ref for step in turn.steps] == [
        "repo__issue-1.traj $.trajectory[0]",
        "repo__issue-1.traj $.trajectory[1]",
    ]
    assert turn.user_content.text == "Fix the colon."
    assert turn.final_response is not None
    assert turn.final_response.text == "a patch"
    assert turn.app_details is not None
    assert turn.app_details.agent_details["agent"].instructions == "Use the shell."
    assert trajectory.eval_id == "repo__issue-1"
    assert trajectory.extra == {
        "environment": "swe_main",
        "info": {"exit_status": "submitted", "submission": "a patch"},
    }
    assert trajectory.lost == ("query, the prompt of a step", "replay_config")


def test_function_calls_are_taken_from_a_history_of_the_same_actions(tmp_path: Path) -> None:
    history = [SYSTEM, {**answer("demo"), "is_demo": True}, ISSUE, answer('open "a.py"', OPEN), answer("ls")]
    trajectory = read(tmp_path, trajectory=[entry('open "a.py"\n', "text"), entry("ls")], history=history)
    assert trajectory.steps[0].items == (
        Claim(text="t"),
        ToolCall(name="open", args={"path": "a.py"}, id="c1"),
        ToolResult(name="open", value="text", call_id="c1"),
    )
    assert trajectory.steps[1].calls == (ToolCall(name="ls", args={}),)


def test_a_history_of_other_actions_is_not_paired_by_position(tmp_path: Path) -> None:
    trajectory = read(
        tmp_path, trajectory=[entry("ls"), entry('open "a.py"')], history=[ISSUE, answer('open "a.py"', OPEN)]
    )
    assert [(call.name, call.raw_args) for step in trajectory.steps for call in step.calls] == [
        ("ls", None),
        ("open", '"a.py"'),
    ]


def test_a_step_without_an_action(tmp_path: Path) -> None:
    (step,) = read(tmp_path, trajectory=[entry("", "Your output was not formatted correctly")]).steps
    assert step.items == (
        Claim(text="t"),
        Observation(text="Your output was not formatted correctly", source="environment"),
    )


# --- histories without entries --------------------------------------------------------


def test_a_history_alone(tmp_path: Path) -> None:
    trajectory = read(
        tmp_path,
        history=[
            SYSTEM,
            ISSUE,
            answer("open a.py", OPEN),
            {"role": "tool", "content": "text", "agent": "main", "tool_call_ids": ["c1"]},
            {"role": "tool", "content": "of whom?", "agent": "main"},
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "agent": "main"},
            {"role": "user", "content": "shell closed", "agent": "main"},
        ],
    )
    assert [step.items for step in trajectory.steps] == [
        (
            Claim(text="t"),
            ToolCall(name="open", args={"path": "a.py"}, id="c1"),
            ToolResult(value="text", call_id="c1"),
        ),
        (ToolResult(value="of whom?"),),
        (Text(text="Done."), Observation(text="shell closed", source="environment")),
    ]
    assert trajectory.invocations[0].user_content.text == "Fix the colon."


def test_the_task_may_come_from_outside(tmp_path: Path) -> None:
    trajectory = read(tmp_path, trajectory=[entry("ls")], task="Fix it.")
    assert (trajectory.task, trajectory.invocations[0].user_content.text) == ("Fix it.", "Fix it.")


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"trajectory": [7]}', "a.traj, $.trajectory[0]: found a number, expected an object"),
        ('{"history": [{"role": "assistant", "content": 7}]}', "$.history[0].content: found int"),
        ('{"history": [{"role": "assistant", "content": "", "tool_calls": {}}]}', "$.history[0].tool_calls"),
        ('{"trajectory": [], "history": []}', "found no 'trajectory' and no 'history'"),
        ('{"trajectory": [{"action": "ls"}', "a.traj:1"),
        ('{"trajectory": [{"action": "ls"}]} {}', "a.traj:1:36"),
    ],
)
def test_a_broken_trajectory_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "a.traj", content)


@pytest.mark.parametrize(
    "head",
    [
        b'{"trajectory": [{"step": 1, "thinking": "a", "action": "b", "observation": "c"}]}',
        b'{"history": [{"role": "user", "content": "hi", "name": "Expert"}]}',
        b'{"history": [{"model_output": null, "result": []}]}',
        b'{"messages": [{"role": "user", "content": "hi", "agent": "main"}]}',
        b'[{"action": "ls", "thought": "a"}]',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("a.traj"))


def test_a_head_that_ends_in_an_observation_is_recognised() -> None:
    head = json.dumps({"trajectory": [entry("cat a", "x" * 100_000)]}).encode()
    assert reader().sniff(head[: 64 * 1024], Path("any"))


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


keys = st.sampled_from(["role", "content", "action", "thought", "observation", "response", "state", "tool_calls", "tool_call_ids", "id", "function", "name", "arguments", "is_demo", "submission", "execution_time"])  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
messages = st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant", "tool"]) | json_values}, optional={"content": json_values, "tool_calls": json_values, "tool_call_ids": json_values, "thought": json_values, "action": json_values})  # fmt: skip
runs = st.fixed_dictionaries(
    {},
    optional={"trajectory": st.lists(st.dictionaries(keys, json_values), max_size=3), "history": json_values | st.lists(messages, max_size=4), "info": json_values},
)  # fmt: skip


@settings(deadline=None)
@given(runs)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "any.traj"
    path.write_text(json.dumps(value))
    try:
        (trajectory,) = reader().read(Source(path), ReadOptions())
    except InputError as error:
        assert "any.traj" in str(error)
    else:
        assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


# --- real runs, and a long one --------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("ctf_flash", ["strings", "unzip", "strings", "submit"]),
        ("function_calling_simple", ["find_file", "open", "edit", "bash", "submit"]),
        (
            "marshmallow_1867_function_calling",
            ["create", "edit", "bash", "bash", "find_file", "open", "edit", "edit", "bash", "bash", "submit"],
        ),
    ],
)
def test_real_trajectories(shared_data: Path, name: str, names: list[str]) -> None:
    path = shared_data / "swe_agent" / f"{name}.traj"
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    assert [call.name for step in trajectory.steps for call in step.calls] == names
    assert all(step.thinking and len(step.results) == 1 for step in trajectory.steps if name != "ctf_flash")
    assert [step.number for step in trajectory.steps] == list(range(1, len(names) + 1))
    assert trajectory.invocations[0].user_content.text.startswith("We're currently solving the following")


def test_a_large_file_needs_the_memory_of_its_steps_without_their_prompts(
    tmp_path: Path, steps_and_growth: Callable[[str, Path], tuple[int, int]]
) -> None:
    one = json.dumps(entry("ls", "a.py", query=[{"role": "user", "content": "word " * 200_000}]))
    path = tmp_path / "large.traj"
    path.write_text('{"trajectory": [' + ",".join([one] * 70) + "]}")  # 70 MB
    steps, grown = steps_and_growth(plugin.__name__, path)
    assert steps == 70
    assert grown < 40_000_000
