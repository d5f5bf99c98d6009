"""Sessions of ADK: what becomes a turn, a step, a state, and what is refused."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.kit.logs import open_log
from adjudge.model import Blob, Claim
from adjudge.plugin import InputError, ReadOptions, Source, TraceReader, Trajectory
from adjudge_plugins.readers import adk_session_reader as plugin


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def user(text: str, invocation: str = "i1", **more: Any) -> dict[str, Any]:
    return event("user", {"text": text}, invocation=invocation, **more)


def event(author: str, *parts: dict[str, Any], invocation: str = "i1", **more: Any) -> dict[str, Any]:
    role = "user" if author == "user" or "functionResponse" in str(parts) else "model"
    content = {"content": {"role": role, "parts": list(parts)}} if parts else {}
    return {**content, "invocationId": invocation, "author": author, "actions": {"stateDelta": {}}, **more}


def call(name: str, call_id: str | None = "c1", **args: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args} | ({"id": call_id} if call_id else {})}


def result(name: str, call_id: str | None = "c1", **response: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": response} | ({"id": call_id} if call_id else {})}


def session(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "s1", "appName": "home", "userId": "ann", "state": {}, "events": list(events), **more}


def read(folder: Path, content: str, name: str = "log.json") -> list[Trajectory]:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    source = Source(path)
    with open_log(source) as file:
        assert reader().sniff(file.read(64 * 1024), path)
    return list(reader().read(source, ReadOptions(task="tidy up")))


def one(folder: Path, *events: dict[str, Any], **more: Any) -> Trajectory:
    (trajectory,) = read(folder, json.dumps(session(*events, **more)))
    return trajectory


def snake(value: Any) -> Any:
    """The same document in ADK's other spelling."""
    if isinstance(value, list):
        return [snake(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        "".join("_" + char.lower() if char.isupper() else char for char in key): snake(inner)
        for key, inner in value.items()
    }


WHOLE = [user("off"), event("root", call("switch", to="off")), event("root", result("switch", ok=True)), event("root", {"text": "It is off."})]  # fmt: skip


# --- shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("one.json", json.dumps(session(*WHOLE)), ["s1"]),
        ("pretty.json", json.dumps(session(*WHOLE), indent=2), ["s1"]),
        ("snake.json", json.dumps(snake(session(*WHOLE))), ["s1"]),
        ("bare.json", json.dumps(WHOLE), ["bare"]),
        ("lines.jsonl", "\n".join(json.dumps(row) for row in WHOLE), ["lines"]),
        ("many.json", json.dumps([session(*WHOLE), session(*WHOLE, id="s2")]), ["s1", "s2"]),
        ("many.jsonl.gz", "\n".join(json.dumps(session(*WHOLE, id=f"s{n}")) for n in (1, 2)), ["s1", "s2"]),
        ("state_last.json", json.dumps({"events": WHOLE, "userId": "u", "appName": "a"}), ["state_last"]),
    ],
)
def test_every_shape_says_the_same(tmp_path: Path, name: str, content: str, ids: list[str]) -> None:
    trajectories = read(tmp_path, content, name)
    assert [trajectory.eval_id for trajectory in trajectories] == ids
    for trajectory in trajectories:
        (turn,) = trajectory.invocations
        assert turn.user_content.text == "off"
        assert [(made.name, made.args) for made in turn.tool_calls] == [("switch", {"to": "off"})]
        assert [found.value for found in turn.tool_results] == [{"ok": True}]
        assert turn.final_response is not None
        assert turn.final_response.text == "It is off."


def test_a_session_without_events_is_one_in_which_nothing_happened(tmp_path: Path) -> None:
    trajectory = one(tmp_path, state={"light": "on"})
    assert trajectory.invocations == ()
    assert trajectory.final_session_state == {"light": "on"}


def test_blobs_are_not_held_in_memory(tmp_path: Path) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo" + "A" * 1_000_000}}
    path = tmp_path / "large.json"
    turns = [user("see", f"i{n}") | {"content": {"role": "user", "parts": [picture]}} for n in range(30)]
    path.write_text(json.dumps(session(*turns)))  # 30 MB
    del turns
    tracemalloc.start()
    (trajectory,) = reader().read(Source(path), ReadOptions())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12_000_000
    (blob,) = trajectory.invocations[0].user_content.items
    assert isinstance(blob, Blob)
    assert (blob.mime_type, blob.data) == ("image/png", None)
    assert blob.extra is not None
    assert blob.extra["base64_characters"] == 1_000_011
    assert trajectory.lost == ("the content of a blob (image/png) (30 times)",)


# --- turns and steps ------------------------------------------------------------------


def test_a_live_event_without_content_opens_no_turn(tmp_path: Path) -> None:
    events = [event("a", invocation="before", turnComplete=True)]
    for number in range(8):
        events += [
            user(f"question {number}", f"i{number}"),
            event("a", {"text": f"answer {number}"}, invocation=f"i{number}"),
            event("a", invocation=f"live{number}", turnComplete=True),
            event("a", invocation=f"again{number}", content={"parts": []}),
        ]
    trajectory = one(tmp_path, *events)
    assert [turn.user_content.text for turn in trajectory.invocations] == [f"question {n}" for n in range(8)]
    answers = [turn.final_response and turn.final_response.text for turn in trajectory.invocations]
    assert answers == [f"answer {n}" for n in range(8)]
    assert len(trajectory.steps) == 25, "they stay as steps, for what they cost"


def test_what_was_heard_in_a_live_session_is_what_was_said(tmp_path: Path) -> None:
    spoken = {
        "author": "user",
        "invocation_id": "i",
        "input_transcription": {"text": "How warm?", "finished": True},
    }
    answered = {"author": "a", "invocationId": "i", "content": None, "outputTranscription": {"text": "20."}}
    trajectory = one(tmp_path, spoken, answered)
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "How warm?"
    assert turn.final_response is not None
    assert turn.final_response.text == "20."


def test_turns_begin_at_the_user(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        event("root", {"text": "Welcome."}, invocation="i0", timestamp=1.0),
        user("a", timestamp=2.0),
        event("root", {"text": "A."}, timestamp=3.5, usageMetadata={"promptTokenCount": 7, "totalTokenCount": 9, "newCount": 1}, modelVersion="m-1"),
        user("b", "i2"),
        event("helper", {"text": "B?"}, invocation="i2", branch="root.helper"),
        event("root", {"text": "B."}, invocation="i2"),
        event("root", {"text": "By the clock."}, invocation="i3"),
    )  # fmt: skip
    assert [turn.invocation_id for turn in trajectory.invocations] == ["i0", "i1", "i2", "i3"]
    assert [turn.user_content.text for turn in trajectory.invocations] == ["", "a", "b", ""]
    answers = [turn.final_response.text for turn in trajectory.invocations if turn.final_response]
    assert answers == ["Welcome.", "A.", "B.", "By the clock."]
    _, second, third, _ = trajectory.invocations
    assert (second.creation_timestamp, second.duration) == (2.0, 1.5)
    (step,) = second.steps
    assert step.source_ref == "log.json:1 $.events[2]"
    assert (step.author, step.model, step.started_at) == ("root", "m-1", 3.5)
    assert step.usage is not None
    assert (step.usage.input_tokens, step.usage.output_tokens, step.usage.total_tokens) == (7, None, 9)
    assert step.usage.extra == {"newCount": 1}
    assert third.intermediate_texts == (("helper", "B?"),)
    assert third.steps[0].extra == {"branch": "root.helper"}
    assert [step.number for step in trajectory.steps] == [1, 2, 3, 4, 5]
    assert (trajectory.agent, trajectory.session_id, trajectory.task) == ("home", "s1", "tidy up")
    assert trajectory.extra == {"userId": "ann"}


def test_two_messages_before_the_agent_moves_are_one_turn(tmp_path: Path) -> None:
    (turn,) = one(tmp_path, user("a"), user("b"), event("root", {"text": "c"})).invocations
    assert turn.user_content.text == "a\nb"


def test_partial_events_are_skipped(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path, user("a"), event("root", {"text": "It"}, partial=True), event("root", {"text": "It is."})
    )
    assert len(trajectory.steps) == 1


def test_results_go_to_the_call_that_they_name_and_to_no_other(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        user("a"),
        event("root", call("look", "x"), call("look", "y"), call("look", None)),
        event("root", result("look", "y", n=2), result("look", None, n=3), result("look", "x", n=1)),
        event("root", {"text": "done"}),
    )
    made, alone, last = trajectory.steps
    assert [(item.call_id, item.value) for item in made.results] == [("y", {"n": 2}), ("x", {"n": 1})]
    assert [(item.call_id, item.value) for item in alone.results] == [(None, {"n": 3})]
    assert alone.source_ref == "log.json:1 $.events[2]"
    assert [step.number for step in (made, alone, last)] == [1, 2, 3]


def test_a_result_keeps_what_its_own_event_says(tmp_path: Path) -> None:
    changed = event("root", result("switch"), actions={"stateDelta": {"light": "off"}}, id="e2")
    trajectory = one(tmp_path, user("off"), event("root", call("switch")), changed)
    (joined,) = trajectory.steps[0].results
    assert joined.extra == {
        "source_ref": "log.json:1 $.events[2]",
        "id": "e2",
        "actions": {"stateDelta": {"light": "off"}},
    }


def test_thoughts_are_claims_and_no_part_of_the_answer(tmp_path: Path) -> None:
    (turn,) = one(
        tmp_path, user("a"), event("root", {"text": "hm", "thought": True}, {"text": "b"})
    ).invocations
    assert turn.final_response is not None
    assert turn.final_response.items == (turn.final_response.items[0],)
    assert turn.final_response.text == "b"
    assert turn.steps[0].items == (Claim(text="hm"),)


@pytest.mark.parametrize("last", [{"text": "Was that right?", "thought": True}, {"text": " \n"}])
def test_an_event_without_words_does_not_replace_the_answer(tmp_path: Path, last: dict[str, Any]) -> None:
    (turn,) = one(tmp_path, user("a"), event("root", {"text": "b"}), event("root", last)).invocations
    assert turn.final_response is not None
    assert turn.final_response.text == "b"


def test_a_key_of_a_newer_version_is_kept(tmp_path: Path) -> None:
    (turn,) = one(tmp_path, user("a"), event("root", {"text": "b", "novel": {"c": 1}}), novel=[1]).invocations
    assert turn.final_response is not None
    assert turn.final_response.items[0].extra == {"novel": {"c": 1}}


@pytest.mark.parametrize("author", ["user", "root"])
def test_keys_of_a_newer_version_that_are_not_kept_are_said(tmp_path: Path, author: str) -> None:
    many = {f"novel{n}": n for n in range(45)}
    content = {"parts": [{"text": "b", "novel": 1}], **many}
    newer = {"author": author, "invocationId": "i1", "content": content, "avgLogprobs": -0.1, "novelty": None}
    trajectory = one(tmp_path, user("a"), newer, newer, event("root", {"text": "c"}, turnComplete=True))
    assert trajectory.lost == (
        "avgLogprobs of an event (2 times)",
        *(f"novel{n} of the content of an event (2 times)" for n in range(45)),
    )
    assert "b" in trajectory.model_dump_json()


def test_more_problems_than_are_shown_are_counted(refusal: Callable[..., str]) -> None:
    wrong = event("root", *({"text": n} for n in range(45)))
    said = refusal(reader(), "log.json", json.dumps(session(user("a"), wrong)))
    assert "$.events[1].content.parts[19]: 'text' must be a string" in said
    assert "log.json: and 25 more problems" in said


def test_an_error_is_an_error_item(tmp_path: Path) -> None:
    trajectory = one(tmp_path, user("a"), event("root", errorCode="429", errorMessage="Too many requests."))
    (error,) = trajectory.steps[0].errors
    assert (error.code, error.message) == ("429", "Too many requests.")
    assert trajectory.invocations[0].final_response is None


@pytest.mark.parametrize(
    ("state", "expected"),
    [({"state": {"a": 9}}, {"a": 9}), ({"state": None}, {"a": 2, "b": [1]})],
)
def test_the_state_at_the_end(tmp_path: Path, state: dict[str, Any], expected: dict[str, Any]) -> None:
    trajectory = one(
        tmp_path,
        user("a", actions={"stateDelta": {"a": 1}}),
        event("root", {"text": "b"}, actions={"state_delta": {"a": 2, "b": [1], "temp:c": 3}}),
        **state,
    )
    assert trajectory.final_session_state == expected
    assert trajectory.steps[0].extra == {"actions": {"state_delta": {"a": 2, "b": [1], "temp:c": 3}}}


def test_an_event_of_the_user_without_words_is_no_turn_and_what_it_did_is_said(tmp_path: Path) -> None:
    trajectory = one(tmp_path, *WHOLE, event("user", actions={"rewindBeforeInvocationId": "i1"}))
    assert len(trajectory.invocations) == 1
    assert trajectory.lost == ("rewindBeforeInvocationId of an event of the user: i1",)


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no session"),
        ("[]", "no session"),
        ("[7]", "no session"),
        ('{"a": 1}', "log.json:1, $: found no session"),
        (json.dumps(session(*WHOLE)) + "\n" + '{"id": "x"}', "log.json:2, $: found no session"),
        ('{"events": {}}', "expected a list"),
        ('{"events": [7]}', "$.events[0]: found a number, expected an event"),
        ('{"events": [\n{"author": 7}]}', "log.json:2, $.events[0]: found no 'author'"),
        ('{"events": [\n{"author": "a", "content": {"parts": [{"text": 7}]}}]}', "log.json:2, $.events[0].content.parts[0]: 'text' must be a string"),
        ('{"events": [{"author": "user", "content": {"parts": [{"text": 7}]}}]}', "$.events[0].content.parts[0]: 'text' must be a string"),
        ('{"events": [{"author": "a", "usageMetadata": {"promptTokenCount": "7"}}]}', "$.events[0].usage_metadata"),
        ('{"events": [{"author": "a"', "log.json:1"),
    ],
)  # fmt: skip
def test_a_broken_log_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, message: str
) -> None:
    assert message in refusal(reader(), "log.json", content)


@pytest.mark.parametrize(
    "head",
    [
        b'{"eval_set_id": "a", "eval_cases": []}',
        b'{"app_name": "a", "user_id": "b", "state": {}}',
        b'[{"role": "user", "content": "a"}]',
        b'[{"author": "a", "text": "b"}]',
        b'{"author": "Melville", "events": []}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("a.session.json"))


def test_a_head_that_is_cut_is_recognised() -> None:
    head = json.dumps(session(user("x" * 100_000)))
    assert reader().sniff(head[:65536].encode(), Path("any"))


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "parts", "text", "thought", "functionCall", "function_response", "inlineData", "name", "args", "id", "state_delta", "author", "events", "novel"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
events = st.lists(
    st.fixed_dictionaries({"author": st.sampled_from(["user", "a", "b"])}, optional=dict.fromkeys(("content", "actions", "partial", "timestamp", "usageMetadata", "errorCode", "invocationId", "longRunningToolIds", "branch", "modelVersion"), json_values)),
    max_size=5,
)  # fmt: skip


@given(json_values | events | st.fixed_dictionaries({"events": events}, optional={"id": json_values, "state": json_values, "appName": json_values}))  # fmt: skip
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


# --- real sessions --------------------------------------------------------------------


def test_a_session_of_a_shop_assistant(shared_data: Path) -> None:
    path = shared_data / "adk_eval_files" / "customer_service" / "123.session.json"
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    assert trajectory.agent == "customer_service_agent"
    assert len(trajectory.invocations) == 11
    assert [call.name for call in trajectory.invocations[5].tool_calls] == ["modify_cart", "access_cart_information", "check_product_availability"]  # fmt: skip
    # Its calls have no ids, so no result is claimed to belong to a call.
    assert all(not (step.calls and step.results) for step in trajectory.steps)
    assert sum(len(turn.tool_results) for turn in trajectory.invocations) == 6
    assert all(turn.final_response is not None for turn in trajectory.invocations)
    assert trajectory.final_session_state is not None
    assert trajectory.final_session_state["customer_profile"]["customer_id"] == "123"
    assert trajectory.lost == ()


def test_a_session_before_its_first_message(shared_data: Path) -> None:
    path = shared_data / "adk_eval_files" / "trip_planner" / "initial.session.json"
    assert reader().sniff(path.read_bytes(), path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    assert trajectory.invocations == ()
