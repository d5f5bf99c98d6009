"""Eval-set files: what is wrong with one is said at once, and size does not matter."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.kit.adk import (
    case_from_adk,
    dump_eval_set,
    first_entries,
    load_eval_set,
    open_eval_set,
    read_eval_cases,
)

Write = Callable[[Any], Path]


def turn(text: str = "Hello", **further: Any) -> dict[str, Any]:
    return {"user_content": {"role": "user", "parts": [{"text": text}]}, **further}


def case(eval_id: str = "one", **further: Any) -> dict[str, Any]:
    return {"eval_id": eval_id, "conversation": [turn()], **further}


def eval_set(*cases: Any, **further: Any) -> dict[str, Any]:
    return {"eval_set_id": "set", "eval_cases": list(cases), **further}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def writer(data: Any) -> Path:
        path = tmp_path / "weather.test.json"
        if isinstance(data, bytes):
            path.write_bytes(data)
        else:
            path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return path

    return writer


def message(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_eval_set(path)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return str(caught.value)


def calls(**further: Any) -> dict[str, Any]:
    return turn(intermediate_data={"tool_uses": [{"name": "roll", "args": {}, **further}]})


BOTH = {"starting_prompt": "a", "conversation_plan": "b"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([1, 2, 3], ["$[0]", "a list of the number 1", "'query'"]),
        ([], ["the list is empty"]),
        ("7", ["expected an eval set", "the number 7"]),
        ({}, ["not an eval set", "'eval_cases'"]),
        ({"rows": [1]}, ["not an eval set: it has rows"]),
        ({"criteria": {"x": 1}}, ["looks like a configuration"]),
        (case(), ["looks like a single case"]),
        ({"eval_cases": [case()]}, ["EvalSet has no 'eval_set_id'"]),
        ({"eval_set_id": "s"}, ["EvalSet has no 'eval_cases'"]),
        ({"eval_set_id": "s", "eval_cases": None}, ["EvalSet has no 'eval_cases'"]),
        ({"eval_set_id": "s", "eval_cases": {}}, ["'eval_cases' must be a list, found an object"]),
        ({"eval_set_id": 7, "eval_cases": [case()]}, ["'eval_set_id' must be a string, found the number 7"]),
        (eval_set(), ["$.eval_cases", "no cases"]),
        (eval_set(7), ["$.eval_cases[0]", "EvalCase must be an object, found the number 7"]),
        (
            eval_set(case(), case()),
            ["case 'one', $.eval_cases[1]: a second case", "number 1 of the file"],
        ),
        (eval_set({"conversation": [turn()]}), ["EvalCase has no 'eval_id'"]),
        (eval_set(case(eval_id=7)), ["'eval_id' must be a string, found the number 7"]),
        (eval_set(case(conversation_scenario=BOTH)), ["case 'one'", "both of 'conversation'"]),
        (eval_set({"eval_id": "one"}), ["case 'one'", "neither of 'conversation'"]),
        (eval_set(case(conversation={})), ["'conversation' must be a list"]),
        (
            eval_set({"eval_id": "a", "conversation_scenario": {"starting_prompt": "x", "plan": "y"}}),
            ["unknown key 'plan' in ConversationScenario", "no 'conversation_plan'"],
        ),
        (
            eval_set(case(conversation=[turn(expected_tool_use=[])])),
            ["case 'one', $.eval_cases[0].conversation[0]: unknown key 'expected_tool_use' in Invocation"],
        ),
        (eval_set(case(conversation=[turn(final_respons={})])), ["Did you mean 'final_response'?"]),
        (eval_set(case(conversation=[{"final_response": {}}])), ["Invocation has no 'user_content'"]),
        (eval_set(case(conversation=[calls(arg={})])), ["tool_uses[0]: unknown key 'arg'", "'args'"]),
        (eval_set(case(conversation=[calls(args=[1])])), ["'args' must be an object, found a list"]),
        (
            eval_set(case(conversation=[turn(intermediate_data={"tool_uses": [], "invocation_events": []})])),
            ["exclude each other"],
        ),
        (
            eval_set(case(conversation=[turn(intermediate_data={"intermediate_responses": [["a", "b"]]})])),
            ["intermediate_responses[0]", "[author, [part, ...]]"],
        ),
        (eval_set(case(conversation=[turn(invocationId="a", invocation_id="b")])), ["given twice"]),
        (eval_set(case(), evalCases=[case("two")]), ["given twice"]),
        (eval_set(case(), descripton="x"), ["Did you mean 'description'?"]),
        (eval_set(case(rubrics=[{"rubric_id": "r"}])), ["Rubric has no 'rubric_content'"]),
        (eval_set(case(session_input={"app_name": "a"})), ["SessionInput has no 'user_id'"]),
        (
            eval_set(case(session_input={"app_name": "a", "user_id": "b", "state": []})),
            ["'state' must be an object"],
        ),
        (
            eval_set(case(creation_timestamp="now")),
            ["'creation_timestamp' must be a number, found the text 'now'"],
        ),
        (eval_set(case(creation_timestamp=10**400)), ["too large"]),
        (
            '{"eval_set_id": "s", "eval_cases": [{"eval_id": "a",}]}',
            ["weather.test.json:1:52", "no trailing commas"],
        ),
        (json.dumps(eval_set(case())) + "\n{}", [":2:1", "end of the text"]),
        (b"\x00\x01\x02" * 100, ["binary"]),
        (b"", ["empty"]),
        ('{"eval_set_id": "\\ud800", "eval_cases": []}', [":1:17", "surrogate"]),
        (
            eval_set(case(final_session_state={"x": json.loads("[" * 120 + "]" * 120)})),
            ["inside one another"],
        ),
    ],
)
def test_a_bad_file_gets_one_clear_message(write: Write, data: Any, words: list[str]) -> None:
    found = message(write(data))
    for word in words:
        assert word in found


def test_all_problems_are_said_at_once_and_many_are_counted(write: Write) -> None:
    several = message(write(eval_set({"eval_id": "a"}, case(conversation_scenario=BOTH), colour="red")))
    assert "neither" in several and "both" in several
    many = message(write(eval_set(*({"eval_id": f"c{i}"} for i in range(50)))))
    assert many.count("neither") == 20
    assert "and 30 more problems" in many


def test_what_adk_ignores_is_kept_with_one_warning_per_kind(write: Write) -> None:
    event = {"author": "a", "invocationIndex": 3, "content": {"parts": [{"text": "x"}]}}
    data = eval_set(
        case(conversation=[turn(intermediate_data={"invocation_events": [event, event]})], tags=["x"]),
        owner={"team": None},
    )
    file = open_eval_set(write(data))
    assert len(file.warnings) == 3
    assert any("'invocationIndex'" in warning and "and 1 more" in warning for warning in file.warnings)
    assert json.loads(dump_eval_set(load_eval_set(file.path))) == data


def test_cases_are_read_one_at_a_time_and_by_name(write: Write) -> None:
    data = {"evalSetId": "日本", "evalCases": [case(f"ケース{i}", rubrics=[]) for i in range(5)], "name": "n"}
    path = write(json.dumps(data, ensure_ascii=False, indent=2))
    file = open_eval_set(path)
    assert (file.eval_set_id, file.name, file.shape) == ("日本", "n", "eval_set")
    assert [one.eval_id for one in file] == [f"ケース{i}" for i in range(5)]
    assert [one.eval_id for one in read_eval_cases(path)] == [entry.eval_id for entry in file.entries]
    assert [entry.eval_id for entry in file.select(["ケース3", "ケース1"])] == ["ケース1", "ケース3"]
    assert file.read(file.entries[4]).eval_id == "ケース4"
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_byte_order_mark_moves_no_case(write: Write) -> None:
    path = write(b"\xef\xbb\xbf" + json.dumps(eval_set(case("a"), case("b"))).encode())
    file = open_eval_set(path)
    assert [one.eval_id for one in file] == ["a", "b"]
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_google_adk_refuses_or_takes_otherwise(write: Write) -> None:
    camel = {"evalSetId": "s", "name": None, "evalCases": [case(creation_timestamp=None, session_input=None)]}
    assert open_eval_set(write(camel)).eval_set_id == "s"
    assert "must be a number, found the text '1.5'" in message(
        write(eval_set(case(creation_timestamp="1.5")))
    )
    assert "'a' a second time" in message(write('{"eval_set_id": {"a": 1, "a": 2}, "eval_cases": []}'))


def test_an_unknown_case_is_an_error_with_a_suggestion(write: Write) -> None:
    file = open_eval_set(write(eval_set(case("weather"), case("news"))))
    with pytest.raises(InputError, match=r"no case 'wether'. Did you mean 'weather'"):
        file.select(["wether", "news"])


def test_a_file_that_changes_while_it_is_in_use_is_an_error(write: Write) -> None:
    file = open_eval_set(write(eval_set(case("a"), case("b"))))
    write(eval_set(case("x"), case("long name"), case("b")))
    with pytest.raises(InputError, match="changed since it was opened"):
        list(file)


@pytest.mark.parametrize("shape", ["eval set", "old cases", "old turns"])
def test_a_case_that_is_rewritten_under_its_own_id_is_an_error(write: Write, shape: str) -> None:
    def content(answer: str) -> Any:
        old = [{"query": "Hello", "reference": answer, "expected_tool_use": []}]
        if shape == "old turns":
            return old
        if shape == "old cases":
            return [{"name": "a", "data": old, "initial_session": {}}]
        return eval_set(case("a", conversation=[turn(final_response={"parts": [{"text": answer}]})]))

    path = write(content("rightly \u00e9"))
    file = open_eval_set(path)
    [same] = file
    assert same.conversation is not None
    path.write_text(path.read_text(encoding="utf-8").replace("rightly", "wrongly"), encoding="utf-8")
    with pytest.raises(InputError, match="changed since it was opened"):
        list(file)


def test_an_entry_says_what_its_case_has(write: Write) -> None:
    rich = case(
        "rich",
        conversation=[
            turn(),
            turn(
                final_response={"parts": [{"text": "fine"}]},
                rubrics=[{"rubric_id": "r", "rubric_content": {}}],
                intermediate_data={"intermediate_responses": [["sub", [{"text": "on it"}]]]},
            ),
        ],
        session_input={"app_name": "a", "user_id": "u", "state": {"k": 1}},
        final_session_state={"k": 2},
    )
    poor = case(
        "poor", conversation=[turn(final_response={"parts": [{"text": "  "}]})], final_session_state={}
    )
    scenario = {"eval_id": "scenario", "conversation_scenario": BOTH}
    first, second, third = open_eval_set(write(eval_set(rich, poor, scenario))).entries
    assert (first.turns, second.turns, third.turns) == (2, 1, 0)
    assert first.has_reference_response and first.has_reference_intermediate and first.has_rubrics
    assert first.has_final_session_state and first.has_state and not first.is_scenario
    assert not (second.has_reference_response or second.has_reference_intermediate or second.has_rubrics)
    assert not (second.has_final_session_state or second.has_state)
    assert third.is_scenario


def test_the_first_entries_are_there_before_the_rest_is_validated(write: Write) -> None:
    sound = [case(f"case {number}") for number in range(9)]
    path = write(eval_set(*sound))
    assert first_entries(path, 4) == list(open_eval_set(path).entries[:4])
    assert first_entries(path, 40) == list(open_eval_set(path).entries)

    path = write(json.dumps(eval_set(sound[0], {"eval_id": 3}, *sound[1:3])) + "what follows is not read")
    assert [(entry.eval_id, entry.index) for entry in first_entries(path, 2)] == [
        ("case 0", 0),
        ("case 1", 2),
    ]
    with pytest.raises(InputError):
        first_entries(path, 4)
    with pytest.raises(InputError, match="not an eval set"):
        first_entries(write({"criteria": {}}), 4)


def test_steps_are_numbered_over_the_whole_conversation() -> None:
    moves = {
        "tool_uses": [{"name": "a", "id": "1"}, {"name": "b"}],
        "tool_responses": [{"id": "1", "response": {}}],
    }
    read = case_from_adk(case(conversation=[turn(intermediate_data=moves), turn(intermediate_data=moves)]))
    assert read.conversation is not None
    steps = [step for invocation in read.conversation for step in invocation.steps]
    assert [step.number for step in steps] == [1, 2, 3, 4]
    assert [(len(step.calls), len(step.results)) for step in steps] == [(1, 1), (1, 0)] * 2
    assert steps[3].source_ref == "$.conversation[1].intermediate_data.tool_uses[1]"


def test_results_are_never_paired_by_name_or_by_a_doubled_id() -> None:
    moves = {
        "tool_uses": [{"name": "a", "id": "x"}, {"name": "a", "id": "x"}, {"name": "b"}],
        "tool_responses": [{"name": "a", "id": "x"}, {"name": "b"}],
    }
    read = case_from_adk(case(conversation=[turn(intermediate_data=moves)]))
    assert read.conversation is not None
    assert [step.form for step in read.conversation[0].steps].count("tool_response") == 2


# --- size -----------------------------------------------------------------------------------------


def junk_after(head: bytes, block: bytes) -> Iterator[bytes]:
    yield head
    for _ in range(50_000_000 // len(block)):
        yield block


@pytest.mark.parametrize(
    ("head", "block"),
    [
        (b"", b"\x93\x07junk" * 10_000),
        (b"", b"lorem ipsum " * 5_000),
        (b"", b"[" * 65_536),
        (b'{"rows": ', b'{"a": 1} ' * 8_000),
        (b"[", b'{"id": 1}, ' * 8_000),
        (b'{"eval_set_id": "s", "eval_cases": [', b'{"id": 1}, ' * 8_000),
    ],
    ids=["binary", "prose", "brackets", "json lines", "foreign list", "foreign cases"],
)
def test_large_junk_is_refused_without_being_read(tmp_path: Path, head: bytes, block: bytes) -> None:
    pipe = tmp_path / "junk.evalset.json"
    os.mkfifo(pipe)
    written = 0

    def pour() -> None:
        nonlocal written
        try:
            with pipe.open("wb", buffering=0) as file:
                for piece in junk_after(head, block):
                    written += file.write(piece)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=pour)
    writer.start()
    with pytest.raises(InputError):
        open_eval_set(pipe)
    writer.join(timeout=60)
    assert 0 < written < 3_000_000


def test_a_large_file_is_read_in_the_memory_of_a_case(tmp_path: Path) -> None:
    large, small = tmp_path / "large.evalset.json", tmp_path / "small.evalset.json"
    for path, cases in ((large, 3000), (small, 3)):
        with path.open("w", encoding="utf-8") as file:
            file.write('{"eval_set_id": "large", "eval_cases": [')
            for i in range(cases):
                file.write(
                    ("," if i else "") + json.dumps(case(f"c{i}", conversation=[turn("long " * 2000)]))
                )
            file.write("]}")
    assert large.stat().st_size > 30_000_000
    program = (
        "import resource, sys; from pathlib import Path; from adjudge.kit.adk import open_eval_set;"
        "file = open_eval_set(Path(sys.argv[1])); print(sum(1 for _ in file));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks: list[int] = []
    for path, cases in ((large, 3000), (small, 3)):
        out = subprocess.run(
            [sys.executable, "-c", program, str(path)],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout.split()
        assert int(out[0]) == cases
        peaks.append(int(out[1]))
    assert peaks[0] - peaks[1] < 12_000  # KiB


# --- anybody's input ------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
VALID = eval_set(
    case(
        conversation=[
            turn(
                final_response={
                    "role": "model",
                    "parts": [{"text": "x", "thought": True}, {"function_call": {"name": "f"}}],
                },
                intermediate_data={
                    "tool_uses": [{"name": "f", "args": {"a": 1}, "id": "1"}],
                    "tool_responses": [{"name": "f", "response": {}, "id": "1"}],
                    "intermediate_responses": [["sub", [{"text": "x"}]]],
                },
                rubrics=[{"rubric_id": "r", "rubric_content": {"text_property": "x"}}],
                app_details={"agent_details": {"a": {"name": "a", "tool_declarations": []}}},
            ),
            turn(
                intermediate_data={
                    "invocation_events": [
                        {
                            "author": "a",
                            "content": {"parts": [{"text": "x"}]},
                            "usage_metadata": {"total_token_count": 1},
                        }
                    ]
                }
            ),
        ],
        session_input={"app_name": "a", "user_id": "u", "state": {}},
        final_session_state={"a": 1},
    ),
    {"eval_id": "s", "conversation_scenario": BOTH},
)
OLD = [
    {
        "name": "old",
        "data": [
            {
                "query": "q",
                "expected_tool_use": [{"tool_name": "t", "tool_input": {}}],
                "expected_intermediate_agent_responses": [{"author": "a", "text": "t"}],
                "reference": "r",
            }
        ],
        "initial_session": {"state": {}, "app_name": "a", "user_id": "u"},
    }
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        yield from places(child, (*path, key))


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A good file of one of the three shapes with a few places replaced, removed or renamed."""
    data = deepcopy(draw(st.sampled_from([VALID, OLD, OLD[0]["data"]])))
    for _ in range(draw(st.integers(1, 3))):
        *parents, key = draw(st.sampled_from([path for path in places(data) if path] or [("",)]))
        holder: Any = data
        for parent in parents:
            holder = holder[parent]
        if not isinstance(holder, (dict, list)) or key == "":
            continue
        if isinstance(holder, dict) and draw(st.booleans()):
            holder[draw(TEXT)] = holder.pop(key)
        else:
            holder[key] = draw(JSON)
    return data


@settings(max_examples=200, deadline=None)
@given(data=damaged() | JSON | st.lists(JSON) | st.dictionaries(TEXT, JSON))
def test_any_json_is_an_eval_set_or_a_message(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "anything.evalset.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    try:
        file = open_eval_set(path)
    except InputError as error:
        assert error.problems
    else:
        assert len(list(file)) == len(file.entries) > 0
        dump_eval_set(load_eval_set(path))


@given(data=st.binary(max_size=300))
def test_any_bytes_are_an_eval_set_or_a_message(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.evalset.json"
    path.write_bytes(data)
    with pytest.raises(InputError):
        open_eval_set(path)
