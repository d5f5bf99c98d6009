"""ATIF documents: turns, calls and results by id, sub-agents, versions, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model import Blob, Claim, Observation, Opaque, Text, ToolCall, ToolResult
from adjudge.plugin import (
    InputError,
    ReadOptions,
    Source,
    TraceReader,
    Trajectory,
)
from adjudge_plugins.readers import atif_reader as plugin

AGENT = {"name": "coder", "version": "2.1", "model_name": "m-1"}
ASKED = {"step_id": 1, "source": "user", "message": "Fix it."}


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def document(*steps: Any, **others: Any) -> dict[str, Any]:
    return {"schema_version": "ATIF-v1.8", "agent": AGENT, "steps": list(steps), **others}


def read(folder: Path, content: Any, name: str = "run.json") -> list[Trajectory]:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    return list(reader().read(Source(path), ReadOptions(task="Fix the shop")))


def one(folder: Path, *steps: Any, **others: Any) -> Trajectory:
    (trajectory,) = read(folder, document(*steps, **others))
    return trajectory


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": call_id, "function_name": name, "arguments": arguments}


# --- turns and steps ------------------------------------------------------------------


def test_turns_begin_at_the_user(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        {"step_id": 1, "source": "system", "message": "Be brief."},
        {"step_id": 2, "source": "user", "message": "Fix it.", "timestamp": "2025-10-16T14:30:00Z"},
        {
            "step_id": 3,
            "source": "agent",
            "timestamp": "2025-10-16T14:30:05Z",
            "model_name": "m-2",
            "message": "Let me look.",
            "reasoning_content": "A file, perhaps.",
            "tool_calls": [call("c1", "open", path="a.py"), call("c2", "ls")],
            "observation": {
                "results": [{"source_call_id": "c2", "content": "a.py"}, {"content": "disk is full"}]
            },
            "metrics": {"prompt_tokens": 7, "completion_tokens": 2, "cached_tokens": 3, "cost_usd": 0.1},
            "llm_call_count": 1,
        },
        {"step_id": 4, "source": "agent", "message": "Fixed."},
        {"step_id": 5, "source": "user", "message": "Thanks."},
        session_id="s-1",
        final_metrics={"total_steps": 5},
    )
    first, second = trajectory.invocations
    assert (first.user_content.text, first.creation_timestamp) == ("Fix it.", 1760625000.0)
    looked, answered = first.steps
    assert looked.items == (
        Claim(text="A file, perhaps."),
        Text(text="Let me look."),
        ToolCall(name="open", args={"path": "a.py"}, id="c1"),
        ToolCall(name="ls", args={}, id="c2"),
        ToolResult(name="ls", call_id="c2", value="a.py"),
        Observation(text="disk is full", source="environment"),
    )
    assert (looked.number, looked.author, looked.model, looked.started_at) == (
        3,
        "coder",
        "m-2",
        1760625005.0,
    )
    assert looked.extra == {"llm_call_count": 1}
    assert looked.usage is not None
    assert (looked.usage.input_tokens, looked.usage.output_tokens, looked.usage.cached_tokens) == (7, 2, 3)
    assert looked.usage.extra == {"cost_usd": 0.1}
    assert (answered.number, answered.items, answered.model) == (4, (), "m-1")
    assert first.final_response is not None
    assert first.final_response.text == "Fixed."
    assert (second.user_content.text, second.steps) == ("Thanks.", ())
    assert first.app_details is not None
    assert first.app_details.agent_details["coder"].instructions == "Be brief."
    assert (trajectory.agent, trajectory.session_id, trajectory.eval_id) == ("coder", "s-1", "s-1")
    assert trajectory.task == "Fix the shop"
    assert trajectory.extra is not None
    assert trajectory.extra["final_metrics"] == {"total_steps": 5}
    assert looked.source_ref == "run.json:1 $.steps[2]"


def test_what_the_system_says_in_between_is_an_observation(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        ASKED,
        {
            "step_id": 2,
            "source": "system",
            "message": "Context was compacted.",
            "observation": {"results": []},
        },
    )
    (step,) = trajectory.steps
    assert step.items == (Observation(text="Context was compacted.", source="system"),)
    assert step.author == "system"


def test_arguments_that_are_no_object_are_kept_as_they_are(tmp_path: Path) -> None:
    made = {"tool_call_id": "c", "function_name": "bash", "arguments": "ls -l", "extra": {"timeout": 3}}
    (step,) = one(
        tmp_path, ASKED, {"step_id": 2, "source": "agent", "message": "", "tool_calls": [made]}
    ).steps
    assert step.calls == (ToolCall(name="bash", raw_args="ls -l", id="c", extra={"extra": {"timeout": 3}}),)


def test_a_result_of_an_unknown_call_is_not_paired(tmp_path: Path) -> None:
    (step,) = one(
        tmp_path,
        ASKED,
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [call("c1", "ls")],
            "observation": {"results": [{"source_call_id": "zz", "content": "of whom?"}]},
        },
    ).steps
    assert step.results == (ToolResult(name=None, call_id="zz", value="of whom?"),)


def test_parts_stay_outside(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"media_type": "image/png", "path": "images/1.png"}}
    (step,) = one(
        tmp_path,
        {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "See"}, image]},
        {
            "step_id": 2,
            "source": "agent",
            "message": [{"type": "video"}],
            "observation": {"results": [{"content": [{"type": "text", "text": "a page"}, image]}]},
        },
    ).steps
    blob = Blob(mime_type="image/png", uri="images/1.png")
    assert step.items == (
        Opaque(name="video", value={"type": "video"}),
        Observation(text="a page", source="environment"),
        blob,
    )


def test_what_is_not_kept_is_said(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        ASKED | {"extra": {"ui": 1}},
        {
            "step_id": 2,
            "source": "agent",
            "message": "a",
            "metrics": {"logprobs": [-0.1], "prompt_token_ids": [1, 2]},
        },
    )
    assert trajectory.lost == ("prompt_token_ids", "logprobs", "extra of the user's steps")


@pytest.mark.parametrize(
    ("own", "numbers"), [([1, 2, 3], [2, 3]), ([5, 7, 9], [7, 9]), ([0, 1, 2], [2, 3]), ([1, 1, 1], [2, 3])]
)
def test_numbers(tmp_path: Path, own: list[int], numbers: list[int]) -> None:
    sources = ("user", "agent", "agent")
    steps = [
        {"step_id": number, "source": who, "message": "a"} for number, who in zip(own, sources, strict=True)
    ]
    assert [step.number for step in one(tmp_path, *steps).steps] == numbers


# --- sub-agents and shapes ------------------------------------------------------------


def test_every_sub_agent_is_a_trajectory_of_its_own(tmp_path: Path) -> None:
    answer = {"step_id": 2, "source": "agent", "message": "Found."}
    inner = document(ASKED, answer, trajectory_id="deep", agent={"name": "reader", "version": "1"})
    helper = document(
        ASKED,
        answer,
        trajectory_id="search",
        agent={"name": "searcher", "version": "1"},
        subagent_trajectories=[inner],
    )
    delegating = {
        "step_id": 2,
        "source": "agent",
        "message": "",
        "tool_calls": [call("c1", "delegate")],
        "observation": {"results": [{"source_call_id": "c1", "subagent_trajectory_ref": [{"trajectory_id": "search"}]}]},
    }  # fmt: skip
    main, search, deep = read(
        tmp_path, document(ASKED, delegating, session_id="s", subagent_trajectories=[helper])
    )
    assert [trajectory.eval_id for trajectory in (main, search, deep)] == ["s", "s/search", "s/search/deep"]
    assert [trajectory.agent for trajectory in (main, search, deep)] == ["coder", "searcher", "reader"]
    assert [trajectory.task for trajectory in (main, search, deep)] == ["Fix the shop", None, None]
    (result,) = main.steps[0].results
    assert result.extra == {"subagent_trajectory_ref": [{"trajectory_id": "search"}]}
    assert search.steps[0].source_ref == "run.json:1 $.subagent_trajectories[0].steps[1]"


def test_a_document_a_line(tmp_path: Path) -> None:
    rows = "\n".join(json.dumps(document(ASKED)) for _ in range(2))
    assert [(run.eval_id, run.source) for run in read(tmp_path, rows, "runs.jsonl")] == [
        ("0", "runs.jsonl:1 $"),
        ("1", "runs.jsonl:2 $"),
    ]


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"schema_version": "ATIF-v2.0", "steps": []}', "$.schema_version: found 'ATIF-v2.0'"),
        ('{"steps": []}', "$.schema_version: found None"),
        ('{"schema_version": "ATIF-v1.8"}', "found no steps"),
        ('{"schema_version": "ATIF-v1.8", "steps": {}}', "expected a list"),
        (json.dumps(document(7)), "$.steps[0]: found a number, expected a step"),
        (json.dumps(document({"source": "tool"})), "$.steps[0].source: found 'tool'"),
        (json.dumps(document({"source": "agent", "message": 7})), "$.steps[0].message: found a number"),
        (
            json.dumps(document({"source": "agent", "tool_calls": [{}]})),
            "$.steps[0].tool_calls[0]: found no function",
        ),
        (
            json.dumps(document({"source": "agent", "observation": []})),
            "$.steps[0].observation: found a list",
        ),
        (json.dumps(document(ASKED, agent="coder")), "$.agent: found a text"),
        (
            json.dumps(document(ASKED, subagent_trajectories=[{"steps": [1]}])),
            "$.subagent_trajectories[0].steps[0]",
        ),
        (json.dumps(document(ASKED))[:-4], "run.json:1"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "run.json", content)


@pytest.mark.parametrize(
    "head",
    [
        b'{"schema_version": "ATIF-v2.0", "steps": []}',
        b'{"schema_version": 1, "steps": []}',
        b'[{"schema_version": "ATIF-v1.0"}]',
        b'{"steps": [{"step_id": 1, "source": "user", "message": "a"}]}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("run.json"))


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


keys = st.sampled_from(["message", "type", "text", "source", "path", "tool_call_id", "function_name", "arguments", "results", "source_call_id", "content", "prompt_tokens", "name", "trajectory_id", "steps"])  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
parts = st.text(max_size=5) | st.lists(st.dictionaries(keys, json_values, max_size=3), max_size=2)
atif_steps = st.fixed_dictionaries({"source": st.sampled_from(["system", "user", "agent"]), "message": parts}, optional={"step_id": json_values, "timestamp": json_values | st.datetimes().map(str), "tool_calls": json_values, "observation": st.fixed_dictionaries({"results": json_values | st.lists(st.dictionaries(keys, json_values, max_size=3), max_size=2)}), "metrics": json_values})  # fmt: skip
documents = st.fixed_dictionaries({"schema_version": st.just("ATIF-v1.8"), "steps": st.lists(atif_steps, max_size=3)}, optional={"agent": json_values, "subagent_trajectories": json_values})  # fmt: skip


@settings(deadline=None)
@given(documents | json_values)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "any.json"
    path.write_text(json.dumps(value))
    try:
        read_back = list(reader().read(Source(path), ReadOptions()))
    except InputError as error:
        assert "any.json" in str(error)
    else:
        for trajectory in read_back:
            assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


def test_a_large_file_needs_the_memory_of_its_longest_run(
    tmp_path: Path, steps_and_growth: Callable[[str, Path], tuple[int, int]]
) -> None:
    one = {"step_id": 2, "source": "agent", "message": "word " * 200_000}
    path = tmp_path / "large.jsonl"
    path.write_text((json.dumps(document(ASKED, one)) + "\n") * 70)  # 70 MB
    steps, grown = steps_and_growth(plugin.__name__, path)
    assert steps == 70
    assert grown < 40_000_000
