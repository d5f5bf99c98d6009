"""Logs of OpenAI-style messages: what becomes a turn, a step, a result, and what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.kit.logs import open_log
from adjudge.model import Blob, Claim, Opaque
from adjudge.plugin import InputError, ReadOptions, Source, TraceReader, Trajectory
from adjudge_plugins.readers import openai_messages_reader as plugin

USER = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "hello"}


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def call(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def read(folder: Path, content: str | bytes, name: str = "log.json") -> list[Trajectory]:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    source = Source(path)
    with open_log(source) as file:
        assert reader().sniff(file.read(64 * 1024), path)
    return list(reader().read(source, ReadOptions()))


def one(folder: Path, *messages: dict[str, Any], **run: Any) -> Trajectory:
    (trajectory,) = read(folder, json.dumps({"messages": messages, **run}))
    return trajectory


def test_a_last_message_that_only_thinks_does_not_replace_the_answer(tmp_path: Path) -> None:
    thinks = {"role": "assistant", "content": "", "reasoning_content": "Was that right?"}
    (turn,) = one(tmp_path, USER, ANSWER, thinks).invocations
    assert turn.final_response is not None
    assert turn.final_response.text == "hello"


def test_what_is_said_with_a_call_is_no_answer(tmp_path: Path) -> None:
    looks = {"role": "assistant", "content": "Let me look.", "tool_calls": [call("look", "{}")]}
    thinks = {"role": "assistant", "content": "", "reasoning_content": "Was that right?"}
    (turn,) = one(tmp_path, USER, looks, thinks).invocations
    assert turn.final_response is None or turn.final_response.text == ""


# --- shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("one.json", json.dumps({"messages": [USER, ANSWER]}), ["one"]),
        ("pretty.json", json.dumps({"messages": [USER, ANSWER]}, indent=2), ["pretty"]),
        ("bare.json", json.dumps([USER, ANSWER]), ["bare"]),
        ("named.json", json.dumps({"eval_id": "c7", "messages": [USER]}), ["c7"]),
        ("list.json", json.dumps([{"messages": [USER]}, {"task_id": 4, "traj": [USER]}]), ["0", "4"]),
        ("rows.jsonl", "\n".join(json.dumps({"messages": [USER]}) for _ in range(3)), ["0", "1", "2"]),
        ("lists.jsonl", "\n".join(json.dumps([USER, ANSWER]) for _ in range(2)), ["0", "1"]),
        ("tau.jsonl.gz", "\n".join(json.dumps({"task_id": 3, "traj": [USER]}) for _ in range(2)), ["3", "3"]),
        ("mark.json", "\ufeff" + json.dumps([USER]), ["mark"]),
    ],
)
def test_every_shape(tmp_path: Path, name: str, content: str, ids: list[str]) -> None:
    assert [trajectory.eval_id for trajectory in read(tmp_path, content, name)] == ids


def test_a_list_of_lines_keeps_one_row_in_memory(tmp_path: Path) -> None:
    import tracemalloc

    row = json.dumps({"task_id": 1, "messages": [{"role": "user", "content": "x" * 100_000}]}) + "\n"
    path = tmp_path / "large.jsonl"
    path.write_text(row * 300)  # 30 MB
    tracemalloc.start()
    count = sum(1 for _ in reader().read(Source(path), ReadOptions()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert peak < 10_000_000


# --- turns and steps ------------------------------------------------------------------


def test_turns_begin_at_the_user(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Welcome."},
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call("look", '{"where": "sky"}')]},
        {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "blue"},
        {"role": "assistant", "content": "It is blue."},
        {"role": "user", "content": "bye"},
        tools=[{"type": "function", "function": {"name": "look"}}],
    )
    greeting, middle, last = trajectory.invocations
    assert (greeting.user_content.text, greeting.final_response and greeting.final_response.text) == (
        "",
        "Welcome.",
    )
    assert middle.user_content.text == "hi"
    assert middle.final_response is not None
    assert middle.final_response.text == "It is blue."
    assert middle.intermediate_texts == ()
    (made,) = middle.tool_calls
    assert (made.name, made.args, made.id, made.raw_args) == ("look", {"where": "sky"}, "c1", None)
    (result,) = middle.steps[0].results
    assert (result.value, result.call_id, result.name) == ("blue", "c1", "look")
    assert [step.number for step in trajectory.steps] == [1, 2, 3]
    assert middle.steps[0].source_ref == "log.json:1 $.messages[3]"
    assert (last.user_content.text, last.final_response, last.steps) == ("bye", None, ())
    assert middle.app_details is not None
    details = middle.app_details.agent_details["assistant"]
    assert details.instructions == "Be brief."
    assert len(details.tool_declarations) == 1


def test_words_before_a_call_stay_in_the_step(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        USER,
        {"role": "assistant", "content": "Let me look.", "tool_calls": [call("look", "{}")]},
        {"role": "tool", "tool_call_id": "c1", "content": "blue"},
        {"role": "assistant", "content": "Blue."},
    )
    (turn,) = trajectory.invocations
    assert turn.intermediate_texts == (("assistant", "Let me look."),)
    assert turn.final_response is not None
    assert turn.final_response.text == "Blue."


def test_words_with_the_last_call_are_the_answer(tmp_path: Path) -> None:
    (turn,) = one(
        tmp_path,
        USER,
        {"role": "assistant", "content": "Moving you on.", "tool_calls": [call("transfer", "{}")]},
    ).invocations
    assert turn.final_response is not None
    assert turn.final_response.text == "Moving you on."
    assert [made.name for made in turn.tool_calls] == ["transfer"]
    assert turn.intermediate_texts == ()


@pytest.mark.parametrize("arguments", ["{not json", "[1, 2]", "7", '{"a": NaN}', '{"a": "\\ud800"}', ""])
def test_arguments_that_do_not_parse_are_kept_as_they_are(tmp_path: Path, arguments: str) -> None:
    trajectory = one(tmp_path, USER, {"role": "assistant", "tool_calls": [call("look", arguments)]})
    (made,) = trajectory.invocations[0].tool_calls
    assert (made.args, made.raw_args) == (None, arguments)


def test_results_are_paired_by_id_alone(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        USER,
        {"role": "assistant", "tool_calls": [call("look", "{}", "a"), call("look", "{}", "b")]},
        {"role": "tool", "tool_call_id": "b", "name": "look", "content": "second"},
        {"role": "tool", "name": "look", "content": "of whom?"},
        {"role": "tool", "tool_call_id": "z", "name": "look", "content": "of nobody"},
        {"role": "tool", "tool_call_id": "a", "name": "look", "content": "first"},
    )
    asked, nameless, stranger = trajectory.steps
    assert [(item.call_id, item.value) for item in asked.results] == [("b", "second"), ("a", "first")]
    assert [(item.call_id, item.value) for item in nameless.results] == [(None, "of whom?")]
    assert [(item.call_id, item.value) for item in stranger.results] == [("z", "of nobody")]


def test_calls_of_a_simulated_user_are_not_the_agents(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        {
            "role": "user",
            "content": None,
            "tool_calls": [{"id": "u1", "name": "reboot", "arguments": {}, "requestor": "user"}],
        },
        {"role": "tool", "tool_call_id": "u1", "content": "rebooted", "requestor": "user"},
        {"role": "user", "content": "It still fails."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a1", "name": "check", "arguments": {"n": 1}, "requestor": "assistant"}],
        },
        {"role": "tool", "tool_call_id": "a1", "content": "ok"},
    )
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "It still fails."
    assert [(made.name, made.args, made.extra) for made in turn.tool_calls] == [
        ("check", {"n": 1}, {"requestor": "assistant"})
    ]
    assert [result.value for result in turn.tool_results] == ["ok"]


def test_parts_reasoning_usage_and_unknown_keys(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "http://x/y.png"}}, {"type": "input_audio", "input_audio": {}}], "name": "ann"},
        {"role": "assistant", "content": "seen", "reasoning_content": "hmm", "model": "m-1", "cost": 0.1, "usage": {"prompt_tokens": 7, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}}},
    )  # fmt: skip
    (turn,) = trajectory.invocations
    _, image, audio = turn.user_content.items
    assert isinstance(image, Blob)
    assert image.uri == "http://x/y.png"
    assert isinstance(audio, Opaque)
    assert trajectory.lost == ("name of the user's messages",)
    (step,) = turn.steps
    assert step.items == (Claim(text="hmm"),)
    assert (step.model, step.extra) == ("m-1", {"cost": 0.1})
    assert step.usage is not None
    assert (
        step.usage.input_tokens,
        step.usage.output_tokens,
        step.usage.total_tokens,
        step.usage.reasoning_tokens,
    ) == (7, 2, None, 1)


def test_a_run_keeps_its_other_keys(tmp_path: Path) -> None:
    trajectory = one(tmp_path, USER, task_id=7, trial=2, reward=1.0, info={"task": {"instruction": "fly"}})
    assert (trajectory.eval_id, trajectory.task) == ("7", "fly")
    assert trajectory.extra == {
        "task_id": 7,
        "trial": 2,
        "reward": 1.0,
        "info": {"task": {"instruction": "fly"}},
    }


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"messages": []}\n{"messages": [\n', "log.jsonl:3"),
        ('{"messages": [{"role": "user", "content": "a"}]}\n{"b": 1}\n', "log.jsonl:2: found no run"),
        ('{"messages": [{"role": "robot"}]}', "$.messages[0].role: found 'robot'"),
        ('{"messages": [{"role": "user", "content": 7}]}', "$.messages[0].content: found int"),
        ('{"messages": ["hi"]}', "$.messages[0]: found str"),
        ('{"messages": [{"role": "assistant", "tool_calls": {}}]}', "$.messages[0].tool_calls: found dict"),
        ('{"messages": [{"role": "assistant", "tool_calls": [{"id": "a"}]}]}', "no name of a function"),
        ('[{"role": "user", "content": "a"}, 7]', "$[1]: found no message"),
        ("[]", "no run"),
        ("", "no run"),
    ],
)
def test_a_broken_log_is_refused_with_file_and_line(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "log.jsonl", content)


@pytest.mark.parametrize(
    "head",
    [
        b'{"eval_set_id": "a", "eval_cases": []}',
        b'[{"query": "a"}]',
        b'{"messages": "none"}',
        b'{"messages": [{"type": "human"}]}',
        b'{"role": "admin"}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("a.jsonl"))


def test_a_head_that_is_cut_is_recognised() -> None:
    head = json.dumps(
        {"task_id": 1, "info": {"a": 1}, "traj": [{"role": "system", "content": "x" * 100_000}]}
    )
    assert reader().sniff(head[:65536].encode(), Path("any"))


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "function", "name", "arguments", "id", "type", "text", "messages"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
messages = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant", "tool"])}, optional={"content": json_values, "tool_calls": json_values, "tool_call_id": json_values, "usage": json_values}),
    max_size=6,
)  # fmt: skip


@given(json_values | messages | st.fixed_dictionaries({"messages": messages}))
@example([{"role": []}])
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


# --- real runs ------------------------------------------------------------------------


def test_the_runs_of_an_airline_agent(shared_data: Path) -> None:
    runs = list(reader().read(Source(shared_data / "tau_airline" / "runs.jsonl.gz"), ReadOptions()))
    assert len(runs) == 100
    assert {run.eval_id for run in runs} == {str(task) for task in range(25)}
    assert sum((run.extra or {})["reward"] for run in runs) == 31
    turns = [turn for run in runs for turn in run.invocations]
    assert len(turns) == 860
    assert sum(len(turn.tool_calls) for turn in turns) == 621
    assert all(made.args is not None for turn in turns for made in turn.tool_calls)
    # Every result was paired with its call.
    assert all(len(step.results) == len(step.calls) for run in runs for step in run.steps)
