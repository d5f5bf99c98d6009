"""History logs: the seed's steps, the shapes that they come in, and what becomes of an action."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adjudge import read_log
from adjudge.kit.logs import open_log
from adjudge.model import Blob, Claim, ErrorItem, Observation, Opaque, Text, ToolCall, ToolResult
from adjudge.plugin import (
    InputError,
    ReadOptions,
    Source,
    TraceReader,
    Trajectory,
)
from adjudge_plugins.readers import history_log_reader as plugin

# Seed 003, section 3.1, its example word for word.
SEED = {
    "step": 1,
    "thinking": "思考过程...",
    "memory": "当前记忆状态...",
    "action": "click(Element ID)",
    "next_goal": "下一步的目标...",
    "evaluation_previous_goal": "上一目标完成情况...",
}


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def read(folder: Path, content: str | bytes, name: str = "log.json", **options: Any) -> list[Trajectory]:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    source = Source(path)
    with open_log(source) as file:
        assert reader().sniff(file.read(64 * 1024), path)
    return list(reader().read(source, ReadOptions(**options)))


def one(folder: Path, *steps: dict[str, Any], **about: Any) -> Trajectory:
    first, *others = steps
    (trajectory,) = read(
        folder, json.dumps({**about, "steps": [{"step": 1, "thinking": ""} | first, *others]})
    )
    return trajectory


def step(number: int, **fields: Any) -> dict[str, Any]:
    return {"step": number, "thinking": "t", **fields}


# --- the seed -------------------------------------------------------------------------


def test_the_seeds_own_step(tmp_path: Path) -> None:
    (trajectory,) = read(tmp_path, json.dumps([SEED], ensure_ascii=False))
    (read_step,) = trajectory.steps
    assert read_step.number == 1
    assert read_step.items == (
        Claim(field="evaluation_previous_goal", text="上一目标完成情况..."),
        Claim(field="thinking", text="思考过程..."),
        Claim(field="memory", text="当前记忆状态..."),
        Claim(field="next_goal", text="下一步的目标..."),
        ToolCall(name="click", raw_args="Element ID"),
    )
    assert read_step.source_ref == "log.json:1 $[0]"
    assert trajectory.lost == ()


def test_what_came_back_is_no_claim(tmp_path: Path) -> None:
    (read_step,) = one(
        tmp_path,
        {
            "action": "open()",
            "url": "https://a.example",
            "title": "A",
            "observation": {"text": "Sign in"},
            "result": {"ok": False},
            "error": "timeout",
            "screenshot": "shots/1.png",
            "confidence": 3,
        },
    ).steps
    assert read_step.items == (
        ToolCall(name="open", args={}),
        Observation(text="https://a.example", source="url"),
        Observation(text="A", source="title"),
        Observation(text='{"text": "Sign in"}', source="observation"),
        ToolResult(value={"ok": False}),
        ErrorItem(message="timeout"),
        Blob(uri="shots/1.png"),
    )
    assert read_step.extra == {"confidence": 3}


# --- actions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "calls"),
    [
        ("click(Element ID)", [("click", None, "Element ID")]),
        ("click('149')", [("click", None, "'149'")]),
        ("go_back()", [("go_back", {}, None)]),
        ('click({"index": 3})', [("click", {"index": 3}, None)]),
        ("fill('a', 'f(x) )')", [("fill", None, "'a', 'f(x) )'")]),
        ("click(Don't)", [("click", None, "Don't")]),
        ("click(f(x))", [("click", None, "f(x)")]),
        ("click('1')\npress('1', 'Enter')", [("click", None, "'1'"), ("press", None, "'1', 'Enter'")]),
        ("点击(按钮)", [("点击", None, "按钮")]),
        ({"name": "click", "args": {"n": 1}, "id": "c1"}, [("click", {"n": 1}, None)]),
        ({"tool": "click", "arguments": "[1"}, [("click", None, "[1")]),
        ({"type": "click", "selector": "#a"}, [("click", {"selector": "#a"}, None)]),
        ({"click_element": {"index": 3}}, [("click_element", {"index": 3}, None)]),
        ([{"click": {"index": 3}}, "wait(3)"], [("click", {"index": 3}, None), ("wait", None, "3")]),
    ],
)
def test_an_action_is_a_call(tmp_path: Path, action: Any, calls: list[Any]) -> None:
    (read_step,) = one(tmp_path, {"action": action}).steps
    assert [(call.name, call.args, call.raw_args) for call in read_step.calls] == calls


def test_a_comment_beside_a_call_is_kept(tmp_path: Path) -> None:
    (read_step,) = one(tmp_path, {"action": "click('a1') # Sort by name"}).steps
    assert read_step.items == (ToolCall(name="click", raw_args="'a1'", extra={"comment": "# Sort by name"}),)


@pytest.mark.parametrize("action", ["Searched for milk", "click(", "click(a) and then b", "$72.99 (each)"])
def test_an_action_in_prose_is_what_the_agent_did_in_its_words(tmp_path: Path, action: str) -> None:
    (read_step,) = one(tmp_path, {"action": action}).steps
    assert read_step.items == (Text(text=action, extra={"key": "action"}),)


@pytest.mark.parametrize("action", [7, {"a": 1, "b": 2}, {"index": 3}])
def test_an_action_that_names_no_tool_is_opaque(tmp_path: Path, action: Any) -> None:
    (read_step,) = one(tmp_path, {"action": action}).steps
    assert read_step.items == (Opaque(name="action", value=action),)


def test_no_action_is_no_item(tmp_path: Path) -> None:
    (read_step,) = one(tmp_path, {"action": None}).steps
    assert read_step.items == ()


# --- numbers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "numbers", "kept"),
    [
        ([1, 2, 3], [1, 2, 3], [None, None, None]),
        ([2, 3, 7], [2, 3, 7], [None, None, None]),
        ([0, 1, 2], [1, 2, 3], [0, 1, 2]),
        ([1, 1, 2], [1, 2, 3], [1, 1, 2]),
        ([3, 2, 1], [1, 2, 3], [3, 2, 1]),
        ([1, "2", 3], [1, 2, 3], [None, None, None]),
        (["2", "4"], [2, 4], [None, None]),
        ([2.0, 4.0], [2, 4], [None, None]),
        ([1.5, 2.5], [1, 2], [1.5, 2.5]),
        (["a", "b"], [1, 2], ["a", "b"]),
        (["0", "1"], [1, 2], ["0", "1"]),
        (["²", "9" * 5000], [1, 2], ["²", "9" * 5000]),
        ([True, 2, 3], [1, 2, 3], [True, 2, 3]),
        ([None, None, None], [1, 2, 3], [None, None, None]),
    ],
)
def test_numbers_are_the_logs_own_where_they_can_name_a_step(
    tmp_path: Path, own: list[Any], numbers: list[int], kept: list[Any]
) -> None:
    (trajectory,) = read(tmp_path, json.dumps([{"step": n, "thinking": "t"} for n in own]))
    assert [found.number for found in trajectory.steps] == numbers
    assert [(found.extra or {}).get("step") for found in trajectory.steps] == kept


# --- shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "runs"),
    [
        ("bare.json", [step(1), step(2)], [("bare", 2)]),
        ("steps.json", {"task": "buy", "steps": [step(1)]}, [("steps", 1)]),
        ("named.json", {"eval_id": "c7", "history": [step(1)], "score": 1}, [("c7", 1)]),
        ("runs.json", [{"steps": [step(1)]}, {"task_id": 4, "log": [step(1)]}], [("0", 1), ("4", 1)]),
    ],
)
def test_every_shape(tmp_path: Path, name: str, content: Any, runs: list[tuple[str, int]]) -> None:
    for text in (json.dumps(content), json.dumps(content, indent=2)):
        found = read(tmp_path, text, name)
        assert [(trajectory.eval_id, len(trajectory.steps)) for trajectory in found] == runs


def test_a_run_a_line_and_a_step_a_line(tmp_path: Path) -> None:
    rows = "\n".join(json.dumps({"id": f"r{index}", "steps": [step(1)]}) for index in range(3))
    assert [run.eval_id for run in read(tmp_path, rows, "rows.jsonl.gz")] == ["r0", "r1", "r2"]
    lines = "\n".join(json.dumps(step(number)) for number in (1, 2, 3))
    (run,) = read(tmp_path, lines, "lines.jsonl")
    assert [found.source_ref for found in run.steps] == [f"lines.jsonl:{line} $" for line in (1, 2, 3)]


@pytest.mark.parametrize("form", ["a line each", "a list"])
def test_a_list_inside_a_step_is_not_the_list_of_steps(tmp_path: Path, form: str) -> None:
    steps = [step(1, log=["opened", "closed"]), step(2, history=[{"role": "user"}])]
    content = json.dumps(steps) if form == "a list" else "\n".join(map(json.dumps, steps))
    (run,) = read(tmp_path, content)
    assert [found.extra for found in run.steps] == [
        {"log": ["opened", "closed"]},
        {"history": [{"role": "user"}]},
    ]


def test_what_is_said_of_the_run(tmp_path: Path) -> None:
    trajectory = one(tmp_path, {}, goal="Buy milk", agent="shopper", final_answer="Bought.", score=0.5)
    (turn,) = trajectory.invocations
    assert (trajectory.task, turn.user_content.text, trajectory.agent) == ("Buy milk", "Buy milk", "shopper")
    assert turn.final_response is not None
    assert turn.final_response.text == "Bought."
    assert trajectory.extra is not None
    assert trajectory.extra["score"] == 0.5


def test_the_task_may_come_from_outside(tmp_path: Path) -> None:
    (trajectory,) = read(tmp_path, json.dumps([SEED]), task="Buy milk")
    assert (trajectory.task, trajectory.invocations[0].user_content.text) == ("Buy milk", "Buy milk")


def test_images_are_said_to_have_been_there(tmp_path: Path) -> None:
    png = "iVBORw0KGgo" + "A" * 50_000
    trajectory = one(tmp_path, {"screenshot": png, "page": {"shot": f"data:image/jpeg;base64,{png}"}})
    (read_step,) = trajectory.steps
    digest = sha256(b64decode(f"{png}=")).hexdigest()
    known = {"base64_characters": 50_011, "sha256": digest}
    assert read_step.items == (Blob(mime_type="image/png", extra=known),)
    note = f"[image/jpeg, 50011 characters of base64, sha256 {digest[:16]}, left out]"
    assert read_step.extra == {"page": {"shot": note}}
    assert trajectory.lost == ("screenshots", "image/jpeg in base64")


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"steps": [{"step": 1}, {"step": 2]}', "log.json:1:35"),
        ('{"steps": [{"step": 1}, 7]}', "log.json:1, $.steps[1]: found a number, expected a step"),
        ('[{"step": 1}, {"foo": 2}]', "log.json:1, $[1]: found no step"),
        ('{"step": 1, "action": "a()"}\n{"foo": 1}', "log.json:2, $: found no step"),
        ("[]", "no step"),
        ("", "no step"),
        ("7", "expected an object"),
    ],
)
def test_a_broken_log_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "log.json", content)


@pytest.mark.parametrize(
    "head",
    [
        b'{"messages": [{"role": "user", "content": "hi"}]}',
        b'{"history": [{"model_output": null, "result": [], "state": {}}]}',
        b'{"trajectory": [{"action": "ls", "observation": "", "thought": ""}]}',
        b'{"schema_version": "ATIF-v1.7", "steps": [{"step_id": 1, "source": "user", "message": "a"}]}',
        b'{"step": 1}',
        b'{"steps": 3, "thinking": "a"}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("a.json"))


def test_a_head_that_is_cut_is_recognised() -> None:
    head = json.dumps({"goal": "a", "steps": [{"step": 1, "thinking": "x" * 100_000}]}).encode()
    assert reader().sniff(head[: 64 * 1024], Path("any"))


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["step", "thinking", "action", "name", "args", "result", "error", "url", "screenshot", "steps", "log", "task", "id"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
steps = st.lists(
    st.fixed_dictionaries({"step": json_values}, optional={"action": json_values | st.text("ab('\"\\) ;#\n"), "thinking": json_values, "observation": json_values, "error": json_values, "screenshot": json_values}),
    max_size=4,
)  # fmt: skip


@settings(deadline=None)
@given(
    json_values
    | steps
    | st.fixed_dictionaries({"steps": steps}, optional={"task": json_values, "id": json_values})
)
@example([{"step": 10**400, "action": "a"}])
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


# --- real runs, and long ones ---------------------------------------------------------


def test_the_runs_of_web_agents(shared_data: Path) -> None:
    source = Source(shared_data / "web_agent_runs" / "runs.jsonl.gz")
    with open_log(source) as file:
        assert reader().sniff(file.read(64 * 1024), source.path)
    runs = list(reader().read(source, ReadOptions()))
    assert len(runs) == 146
    assert sum(len(run.steps) for run in runs) == 2702
    assert all(run.task and run.agent and run.steps[0].number == 1 for run in runs)
    kinds = Counter(item.kind for run in runs for found in run.steps for item in found.items)
    # 145 steps have no action; three agents wrote prose where an action belongs.
    assert kinds == {"claim": 2554, "call": 2554, "text": 3}


def test_a_large_log_needs_the_memory_of_its_longest_run(
    tmp_path: Path, steps_and_growth: Callable[[str, Path], tuple[int, int]]
) -> None:
    row = json.dumps({"id": "a", "steps": [step(1, screenshot="iVBORw0KGgo" + "A" * 1_000_000)] * 2}) + "\n"
    path = tmp_path / "large.jsonl"
    path.write_text(row * 35)  # 70 MB
    steps, grown = steps_and_growth(plugin.__name__, path)
    assert steps == 70
    assert grown < 40_000_000


def test_a_run_may_begin_with_a_key_of_a_step(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    steps = [{"step": 1, "action": "a()"}, {"step": 2, "action": "b()"}]
    path.write_text("\n".join(json.dumps({"memory": "old", "steps": steps}) for _ in range(2)))
    runs = list(read_log(path, reader="history_log"))
    assert [[call.name for step in run.steps for call in step.calls] for run in runs] == [["a", "b"]] * 2
    assert [run.extra for run in runs] == [{"memory": "old"}] * 2
    assert runs[1].steps[1].source_ref == "log.jsonl:2 $.steps[1]"
