"""Histories of browser-use: both generations, what is claimed and what was seen, and what is left out."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model import Blob, Claim, ErrorItem, Observation, Opaque, ToolCall, ToolResult
from adjudge.plugin import (
    InputError,
    ReadOptions,
    Source,
    TraceReader,
    Trajectory,
)
from adjudge_plugins.readers import browser_use_reader as plugin

BRAIN = {"evaluation_previous_goal": "Success", "memory": "1 of 3", "next_goal": "Open the shop"}
PAGE = {
    "url": "https://shop.example",
    "title": "Shop",
    "tabs": [{"page_id": 0}],
    "interacted_element": [None],
}
OPENED = {"is_done": False, "extracted_content": "Opened the shop", "include_in_memory": True}


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def read(folder: Path, *records: Any, task: str | None = None, **about: Any) -> Trajectory:
    path = folder / "run.json"
    path.write_text(json.dumps({"history": records, **about}))
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions(task=task))
    return trajectory


def record(*actions: Any, result: Any = (), state: Any = None, **others: Any) -> dict[str, Any]:
    output = {"thinking": "hm", **BRAIN, "action": list(actions)}
    return {"model_output": output, "result": result, "state": state or PAGE, "metadata": None, **others}


CLAIMS = (
    Claim(field="evaluation_previous_goal", text="Success"),
    Claim(field="memory", text="1 of 3"),
    Claim(field="next_goal", text="Open the shop"),
)
SEEN = (Observation(text="https://shop.example", source="url"), Observation(text="Shop", source="title"))
GO = {"go_to_url": {"url": "https://shop.example"}}
GONE = ToolCall(name="go_to_url", args={"url": "https://shop.example"})


# --- generations ----------------------------------------------------------------------


def test_the_nested_generation(tmp_path: Path) -> None:
    (step,) = read(
        tmp_path,
        {
            "model_output": {"current_state": BRAIN, "action": [GO]},
            "result": [OPENED],
            "state": PAGE,
            "metadata": {
                "step_start_time": 100.0,
                "step_end_time": 102.5,
                "input_tokens": 3168,
                "step_number": 2,
            },
        },
    ).steps
    result = ToolResult(name="go_to_url", value="Opened the shop", extra={"include_in_memory": True})
    assert step.items == (*SEEN, *CLAIMS, GONE, result)
    assert (step.number, step.started_at, step.duration) == (2, 100.0, 2.5)
    assert step.usage is not None
    assert step.usage.input_tokens == 3168
    assert step.source_ref == "run.json $.history[0]"
    assert step.extra == {"tabs": [{"page_id": 0}]}


def test_the_flat_generation(tmp_path: Path) -> None:
    trajectory = read(
        tmp_path,
        record(
            GO, result=[{"long_term_memory": "m", "extracted_content": "Opened"}], state_message="You are ..."
        ),
        record({"click": {"index": 4}}, current_plan_item=1),
        usage={"total": 7},
    )
    first, second = trajectory.steps
    assert first.items == (
        *SEEN,
        CLAIMS[0],
        Claim(field="thinking", text="hm"),
        *CLAIMS[1:],
        GONE,
        ToolResult(name="go_to_url", value="Opened", extra={"long_term_memory": "m"}),
    )
    assert [step.number for step in trajectory.steps] == [1, 2]
    assert second.extra == {"tabs": [{"page_id": 0}], "current_plan_item": 1}
    assert trajectory.extra == {"usage": {"total": 7}}
    assert trajectory.lost == ("state_message, the prompt of a step",)


def test_a_model_that_answered_nothing(tmp_path: Path) -> None:
    (step,) = read(tmp_path, {"model_output": None, "result": [{"error": "429"}], "state": PAGE}).steps
    assert step.items == (*SEEN, ErrorItem(message="429"))


def test_flash_mode_claims_its_memory_alone(tmp_path: Path) -> None:
    empty = {"evaluation_previous_goal": None, "memory": "1 of 3", "next_goal": None, "action": [GO]}
    (step,) = read(tmp_path, {"model_output": empty, "result": [], "state": PAGE}).steps
    assert step.items == (*SEEN, Claim(field="memory", text="1 of 3"), GONE)


# --- actions and results --------------------------------------------------------------


def test_results_are_paired_where_there_is_one_for_every_action(tmp_path: Path) -> None:
    clicked = {"click": {"index": 3}}
    element = {"node_name": "A"}
    (step,) = read(
        tmp_path,
        record(
            GO,
            clicked,
            result=[OPENED, {"error": "no such element"}],
            state={"interacted_element": [None, element]},
        ),
    ).steps
    assert step.items[-4:] == (
        GONE,
        ToolResult(name="go_to_url", value="Opened the shop", extra={"include_in_memory": True}),
        ToolCall(name="click", args={"index": 3}, extra={"interacted_element": element}),
        ErrorItem(message="no such element"),
    )


def test_fewer_results_than_actions_are_paired_with_none(tmp_path: Path) -> None:
    trajectory = read(tmp_path, record(GO, {"wait": {"seconds": 3}}, result=[OPENED]))
    (step,) = trajectory.steps
    assert [call.name for call in step.calls] == ["go_to_url", "wait"]
    assert [(result.name, result.call_id) for result in step.results] == [(None, None)]
    assert trajectory.lost == ("which action a result answers, where a step has fewer results than actions",)


@pytest.mark.parametrize("action", [{}, {"a": {}, "b": {}}])
def test_an_action_that_is_not_one_call_is_opaque(tmp_path: Path, action: Any) -> None:
    (step,) = read(tmp_path, record(action)).steps
    assert step.items[-1] == Opaque(name="action", value=action)


def test_the_last_words_are_the_answer_and_no_result(tmp_path: Path) -> None:
    judgement = {"reasoning": "fine", "verdict": True}
    done = {"is_done": True, "success": True, "extracted_content": "It costs 3.", "judgement": judgement}
    trajectory = read(
        tmp_path, record({"done": {"text": "It costs 3.", "success": True}}, result=[done]), task="Price?"
    )
    (turn,) = trajectory.invocations
    assert turn.final_response is not None
    assert (turn.user_content.text, turn.final_response.text) == ("Price?", "It costs 3.")
    assert turn.tool_results == ()
    assert trajectory.task == "Price?"
    assert trajectory.extra == {"self_reported_success": True, "judgement": judgement}


def test_a_run_that_was_cut_off_has_no_answer(tmp_path: Path) -> None:
    trajectory = read(tmp_path, record(GO, result=[OPENED]))
    assert trajectory.invocations[0].final_response is None
    assert trajectory.extra is None


# --- numbers and images ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "numbers"), [([2, 3], [2, 3]), ([3, 3], [1, 2]), ([0, 1], [1, 2]), ([2, None], [1, 2])]
)
def test_numbers(tmp_path: Path, own: list[Any], numbers: list[int]) -> None:
    trajectory = read(tmp_path, *(record(GO, metadata={"step_number": number}) for number in own))
    assert [step.number for step in trajectory.steps] == numbers


def test_images_are_said_to_have_been_there(tmp_path: Path) -> None:
    png = "iVBORw0KGgo" + "A" * 9_000
    trajectory = read(
        tmp_path,
        record(GO, state={"screenshot": png}),
        record(
            GO, state={"screenshot_path": "shots/2.png"}, result=[{"images": [{"name": "a", "data": png}]}]
        ),
    )
    first, second = trajectory.steps
    known = {"base64_characters": 9_011, "sha256": sha256(b64decode(f"{png}=")).hexdigest()}
    assert first.items[0] == Blob(mime_type="image/png", extra=known)
    assert second.items[0] == Blob(mime_type="image/png", uri="shots/2.png")
    assert second.items[-1] == first.items[0]
    assert trajectory.lost == ("screenshots", "images of a result")
    assert "AAAA" not in trajectory.model_dump_json()


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"history": [{"model_output": 7}]}', "run.json, $.history[0].model_output: found a number"),
        ('{"history": [{"result": [7]}]}', "$.history[0].result[0]: found a number"),
        ('{"history": [{"result": {}}]}', "$.history[0].result: found an object, expected a list of results"),
        (
            '{"history": [{"model_output": {"action": ["go"]}}]}',
            "$.history[0].model_output.action[0]: found a text",
        ),
        ('{"history": [{"role": "user"}]}', "$.history[0]: found no record"),
        ('{"history": ["a"]}', "$.history[0]: found a text, expected a record of a history"),
        ('{"history": {}}', "expected a list"),
        ('{"steps": []}', "found no 'history'"),
        ('{"history": []} 7', "run.json:1:17"),
        ('{"history": [\n{"model_output": null,\n', "run.json:3"),
    ],
)
def test_a_broken_history_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "run.json", content)


@pytest.mark.parametrize(
    "head",
    [
        b'{"history": [{"role": "user", "content": "hi", "agent": "main"}]}',
        b'{"history": [{"step": 1, "thinking": "a"}]}',
        b'[{"model_output": null}]',
        b'{"history": []}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("run.json"))


def test_a_head_that_ends_in_a_screenshot_is_recognised() -> None:
    head = json.dumps({"history": [record(GO, state={"screenshot": "A" * 100_000})]}).encode()
    assert reader().sniff(head[: 64 * 1024], Path("any"))


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


keys = st.sampled_from(["model_output", "current_state", "action", "memory", "result", "state", "metadata", "step_number", "step_start_time", "step_end_time", "is_done", "extracted_content", "images", "url", "interacted_element"])  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
objects = st.dictionaries(keys, json_values, max_size=4)
records = st.fixed_dictionaries({"result": st.lists(objects, max_size=2)}, optional={"model_output": objects, "state": objects, "metadata": objects})  # fmt: skip


@settings(deadline=None)
@given(st.fixed_dictionaries({"history": json_values | st.lists(records, max_size=3)}))
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("any") / "any.json"
    path.write_text(json.dumps(value))
    try:
        (trajectory,) = reader().read(Source(path), ReadOptions())
    except InputError as error:
        assert "any.json" in str(error)
    else:
        assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


# --- a real run, and a long one -------------------------------------------------------


def test_a_real_history(shared_data: Path) -> None:
    path = shared_data / "browser_use_history" / "history_0_1_nested.json"
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    assert [step.number for step in trajectory.steps] == [2, 3, 4, 5, 6, 7]
    assert [len(step.calls) for step in trajectory.steps] == [2, 2, 2, 2, 1, 1]
    assert [len(step.results) for step in trajectory.steps] == [2, 2, 0, 2, 1, 0]
    assert [len(step.errors) for step in trajectory.steps] == [0, 0, 1, 0, 0, 0]
    assert all(step.claim("next_goal") and step.duration for step in trajectory.steps)
    answer = trajectory.invocations[0].final_response
    assert answer is not None
    assert answer.text.startswith("Top 10 AI agents")
    assert trajectory.extra == {"self_reported_success": True}


def test_a_large_history_needs_the_memory_of_its_steps_without_their_screenshots(
    tmp_path: Path, steps_and_growth: Callable[[str, Path], tuple[int, int]]
) -> None:
    one = json.dumps(record(GO, result=[OPENED], state={**PAGE, "screenshot": "A" * 1_000_000}))
    path = tmp_path / "large.json"
    path.write_text('{"history": [' + ",".join([one] * 70) + "]}")  # 70 MB
    steps, grown = steps_and_growth(plugin.__name__, path)
    assert steps == 70
    assert grown < 40_000_000
