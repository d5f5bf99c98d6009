"""Spans by OpenTelemetry's GenAI conventions: containers, turns, steps, pairing, and what is lost."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.kit.logs import open_log
from adjudge.model import Blob, Claim, Opaque
from adjudge.plugin import InputError, ReadOptions, Source, TraceReader, Trajectory
from adjudge_plugins.readers import otel_genai_reader as plugin


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def span(name: str, start: float, end: float, parent: str | None = None, trace: str = "t1", **more: Any) -> dict[str, Any]:  # fmt: skip
    nano = 1_000_000_000
    attributes = {key.replace("__", "."): value for key, value in more.pop("attributes", {}).items()}
    return {
        "trace_id": trace, "span_id": f"{trace}-{name}-{start}", "parent_span_id": parent, "name": name,
        "start_time": int(start * nano), "end_time": int(end * nano), "attributes": attributes,
        "status": {"code": "UNSET"}, "span_events": [], **more,
    }  # fmt: skip


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def call(name: str, call_id: str | None, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def response(call_id: str | None, result: Any) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": result}


def chat(
    start: float, given_: list[Any], gave: list[Any], *, end: float | None = None, **more: Any
) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(given_),
        "gen_ai.output.messages": json.dumps(gave),
        **more.pop("attributes", {}),
    }
    return span("chat", start, end or start + 1, attributes=attributes, **more)


def tool(start: float, name: str, call_id: str | None = None, **more: Any) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        **more.pop("attributes", {}),
    }
    if call_id is not None:
        attributes["gen_ai.tool.call.id"] = call_id
    for key in ("arguments", "result"):
        if key in more:
            attributes[f"gen_ai.tool.call.{key}"] = more.pop(key)
    return span(f"execute_tool {name}", start, start + 0.5, attributes=attributes, **more)


def agent(name: str, start: float, end: float, **more: Any) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        **more.pop("attributes", {}),
    }
    return span(f"invoke_agent {name}", start, end, attributes=attributes, **more)


USER = message("user", text("How warm is it?"))
ASK = message("assistant", call("look", "c1", {"where": "out"}))
SEEN = message("tool", response("c1", "20 degrees"))
ANSWER = message("assistant", text("It is 20 degrees."))
ROOT = agent("helper", 0, 9)
ROOT_ID = ROOT["span_id"]
RUN = [
    chat(5, [USER, ASK, SEEN], [ANSWER], parent=ROOT_ID),
    ROOT,
    chat(1, [USER], [ASK], parent=ROOT_ID, attributes={"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2}),
    tool(3, "look", "c1", parent=ROOT_ID, arguments='{"where": "out"}', result="20 degrees"),
]  # fmt: skip


def read(folder: Path, content: Any, name: str = "spans.json") -> list[Trajectory]:
    path = folder / name
    data = (content if isinstance(content, str) else json.dumps(content)).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    source = Source(path)
    with open_log(source) as file:
        assert reader().sniff(file.read(64 * 1024), path)
    return list(reader().read(source, ReadOptions(task="measure")))


def one(folder: Path, *spans: dict[str, Any]) -> Trajectory:
    (trajectory,) = read(folder, list(spans))
    return trajectory


# --- containers -----------------------------------------------------------------------


def any_value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(element) for element in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
        case _:
            return {"stringValue": value}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


def otlp(spans: list[dict[str, Any]]) -> dict[str, Any]:
    written = [
        {
            "traceId": found["trace_id"], "spanId": found["span_id"], "parentSpanId": found["parent_span_id"] or "",
            "name": found["name"], "startTimeUnixNano": str(found["start_time"]),
            "endTimeUnixNano": str(found["end_time"]), "attributes": pairs(found["attributes"]), "status": {},
        }
        for found in spans
    ]  # fmt: skip
    resource = {"attributes": pairs({"service.name": "home"})}
    return {
        "resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "s"}, "spans": written}]}]
    }


def sdk(found: dict[str, Any]) -> dict[str, Any]:
    """As the Python SDK's ``ReadableSpan.to_json`` writes it."""
    times = {key: f"2026-01-01T00:00:{found[key] / 1e9:09.6f}Z" for key in ("start_time", "end_time")}
    context = {"trace_id": f"0x{found['trace_id']}", "span_id": found["span_id"], "trace_state": "[]"}
    return {
        "name": found["name"], "context": context, "kind": "SpanKind.INTERNAL", "parent_id": found["parent_span_id"],
        **times, "status": {"status_code": "UNSET"}, "attributes": found["attributes"], "events": [], "links": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("list.json", json.dumps),
        ("pretty.json", lambda spans: json.dumps(spans, indent=2)),
        ("lines.jsonl", lambda spans: "\n".join(map(json.dumps, spans))),
        ("batches.jsonl", lambda spans: "\n".join(json.dumps(spans[at : at + 2]) for at in (0, 2))),
        ("otlp.json", lambda spans: json.dumps(otlp(spans))),
        ("otlp.jsonl.gz", lambda spans: "\n".join(json.dumps(otlp([found])) for found in spans)),
        ("sdk.json", lambda spans: "\n".join(json.dumps(sdk(found), indent=4) for found in spans)),
    ],
)
def test_every_container_says_the_same(tmp_path: Path, name: str, write: Callable[[Any], str]) -> None:
    (trajectory,) = read(tmp_path, write(RUN), name)
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "How warm is it?"
    made, last = turn.steps
    assert (made.author, made.started_at is not None, made.duration) == ("helper", True, 1.0)
    assert [(item.name, item.args, item.id) for item in made.calls] == [("look", {"where": "out"}, "c1")]
    assert [(item.name, item.value, item.call_id) for item in made.results] == [("look", "20 degrees", "c1")]
    assert made.usage is not None
    assert (made.usage.input_tokens, made.usage.output_tokens) == (7, 2)
    assert last.items == ()
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."
    assert (turn.duration, trajectory.agent, trajectory.task, trajectory.lost) == (
        5.0,
        "helper",
        "measure",
        (),
    )
    assert [step.number for step in trajectory.steps] == [1, 2]


def test_a_step_says_where_its_span_is(tmp_path: Path) -> None:
    (trajectory,) = read(tmp_path, otlp(RUN))
    assert trajectory.steps[0].source_ref == "spans.json:1 $.resourceSpans[0].scopeSpans[0].spans[2]"
    (trajectory,) = read(tmp_path, "\n".join(map(json.dumps, RUN)), "lines.jsonl")
    assert trajectory.steps[0].source_ref == "lines.jsonl:3 $"


def test_memory_has_one_trace_at_a_time(
    tmp_path: Path, steps_and_growth: Callable[[str, Path], tuple[int, int]]
) -> None:
    path = tmp_path / "many.jsonl"
    with path.open("w") as file:
        for half in range(2):  # the spans of every trace lie far apart
            for trace in range(400):
                said = message("user", text(f"{trace} " + "x" * 50_000))
                spans = [chat(1 + half, [said], [ANSWER], trace=f"t{trace}")]
                file.write("".join(json.dumps(found) + "\n" for found in spans))
    steps, grown = steps_and_growth("adjudge_plugins.readers.otel_genai_reader", path)  # 40 MB
    assert steps == 800
    assert grown < 20_000_000


def test_what_every_call_of_a_long_run_repeats_is_held_once(
    tmp_path: Path, steps_and_growth: Callable[[str, Path], tuple[int, int]]
) -> None:
    path = tmp_path / "long.jsonl"
    talk: list[Any] = [USER]
    with path.open("w") as file:
        for at in range(120):
            asked = message("assistant", call("look", f"c{at}", {"at": at}))
            file.write(json.dumps(chat(at, talk, [asked])) + "\n")
            talk += [asked, message("tool", response(f"c{at}", f"{at} " + "x" * 4_000))]
    assert path.stat().st_size > 25_000_000
    steps, grown = steps_and_growth("adjudge_plugins.readers.otel_genai_reader", path)
    assert steps == 120
    assert grown < 12_000_000


# --- turns ----------------------------------------------------------------------------


def test_the_traces_of_a_conversation_are_its_turns(tmp_path: Path) -> None:
    named = {"gen_ai.conversation.id": "conv"}
    second = message("user", text("And in?"))
    again = message("assistant", text("25."))
    (talk, other) = read(
        tmp_path,
        [
            chat(20, [USER, ANSWER, second], [again], trace="t2", attributes=named),
            chat(5, [USER], [ANSWER], trace="t9"),
            chat(10, [USER], [ANSWER], trace="t1", attributes=named),
        ],
    )
    assert (talk.eval_id, talk.session_id, other.eval_id, other.session_id) == ("conv", "conv", "t9", None)
    assert [turn.user_content.text for turn in talk.invocations] == ["How warm is it?", "And in?"]
    assert [turn.invocation_id for turn in talk.invocations] == ["t1", "t2"]
    assert [turn.final_response.text for turn in talk.invocations if turn.final_response] == ["It is 20 degrees.", "25."]  # fmt: skip
    assert [step.number for step in talk.steps] == [1, 2]
    assert talk.extra == {"trace_ids": ["t1", "t2"]}


def test_a_user_who_says_the_same_again_opens_a_turn(tmp_path: Path) -> None:
    yes = message("user", text("yes"))
    named = {"gen_ai.conversation.id": "conv"}
    trajectory = one(
        tmp_path,
        chat(1, [yes], [ANSWER], trace="t1", attributes=named),
        chat(2, [yes], [ANSWER], trace="t2", attributes=named),
        chat(3, [yes, ANSWER, yes, ANSWER, yes], [ANSWER], trace="t3", attributes=named),
    )
    assert [turn.user_content.text for turn in trajectory.invocations] == ["yes", "yes", "yes"]


def test_what_was_said_before_the_trace_began_is_read_from_the_input(tmp_path: Path) -> None:
    before = [message("user", text("Hello")), message("assistant", text("Hi."))]
    trajectory = one(tmp_path, chat(1, [*before, USER], [ASK]), chat(3, [*before, USER, ASK, SEEN], [ANSWER]))
    assert [turn.user_content.text for turn in trajectory.invocations] == ["Hello", "How warm is it?"]
    assert trajectory.invocations[0].final_response is not None
    assert trajectory.invocations[0].final_response.text == "Hi."
    assert [step.source_ref for step in trajectory.steps] == [
        "spans.json:1 $[0] (input)",
        "spans.json:1 $[0]",
        "spans.json:1 $[1]",
    ]


def test_sub_agents_speak_in_steps_and_never_answer(tmp_path: Path) -> None:
    root, sub = agent("root", 0, 20), agent("sub", 3, 9)
    delegate = message("assistant", call("ask_sub", "c1", {"q": "20 plus 2"}))
    told = message("user", text("20 plus 2"))
    trajectory = one(
        tmp_path,
        root,
        sub,
        chat(1, [message("system", text("Delegate.")), USER], [delegate], parent=root["span_id"]),
        tool(2, "ask_sub", "c1", parent=root["span_id"], arguments='{"q": "20 plus 2"}', result="22"),
        chat(4, [told], [message("assistant", text("22"))], parent=sub["span_id"]),
        chat(10, [USER, delegate, message("tool", response("c1", "22"))], [ANSWER], parent=root["span_id"]),
    )
    (turn,) = trajectory.invocations
    assert [step.author for step in turn.steps] == ["root", "sub", "root"]
    assert turn.intermediate_texts == (("sub", "22"),)
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."
    assert turn.app_details is not None
    assert turn.app_details.agent_details["root"].instructions == "Delegate."


def test_what_happened_in_the_span_of_a_tool_is_part_of_its_call(tmp_path: Path) -> None:
    root = agent("root", 0, 20)
    run = tool(2, "ask_sub", "c1", parent=root["span_id"], arguments='{"q": "20 plus 2"}', result="22")
    sub = {**agent("sub", 3, 9), "parent_span_id": run["span_id"]}
    delegate = message("assistant", call("ask_sub", "c1", {"q": "20 plus 2"}))
    deeper = message("assistant", call("add", "c2", {}))
    (turn,) = one(
        tmp_path,
        root,
        sub,
        chat(1, [USER], [delegate], parent=root["span_id"]),
        run,
        chat(4, [message("user", text("20 plus 2"))], [deeper], parent=sub["span_id"]),
        tool(5, "add", "c2", parent=sub["span_id"], arguments="{}", result="22"),
        chat(10, [USER, delegate, message("tool", response("c1", "22"))], [ANSWER], parent=root["span_id"]),
    ).invocations
    assert [(step.author, step.parent_call_id) for step in turn.steps] == [
        ("root", None),
        ("sub", "c1"),
        ("root", None),
    ]
    assert [each.name for each in turn.tool_calls] == ["ask_sub"]


def test_an_agent_that_takes_over_may_answer(tmp_path: Path) -> None:
    root, other = agent("root", 0, 4), agent("other", 5, 9)
    transfer = message("assistant", call("transfer", "c1", {}))
    trajectory = one(
        tmp_path,
        root,
        other,
        chat(1, [USER], [transfer], parent=root["span_id"]),
        chat(6, [USER, transfer], [ANSWER], parent=other["span_id"]),
    )
    (turn,) = trajectory.invocations
    assert [step.author for step in turn.steps] == ["root", "other"]
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."


def test_without_content_in_model_calls_the_agent_tells_what_was_asked_and_answered(tmp_path: Path) -> None:
    content = {"gen_ai.input.messages": json.dumps([USER]), "gen_ai.output.messages": json.dumps([ANSWER]), "gen_ai.tool.definitions": '[{"name": "look"}]', "gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}  # fmt: skip
    root = agent("helper", 0, 5, attributes=content)
    bare = span("chat", 1, 2, parent=root["span_id"], attributes={"gen_ai.operation.name": "chat", "gen_ai.response.model": "m-1"})  # fmt: skip
    (turn,) = one(tmp_path, root, bare).invocations
    assert turn.user_content.text == "How warm is it?"
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."
    assert [step.model for step in turn.steps] == ["m-1"]
    assert turn.app_details is not None
    details = turn.app_details.agent_details["helper"]
    assert (details.instructions, details.tool_declarations) == ("Be brief.", ({"name": "look"},))


# --- calls and results ----------------------------------------------------------------


def test_one_call_that_two_libraries_traced_is_one_step(tmp_path: Path) -> None:
    outer = chat(1, [USER], [ANSWER], end=4)
    inner = span("POST", 1.1, 3.9, parent=outer["span_id"])
    innermost = span("chat", 1.2, 3, parent=inner["span_id"], attributes={"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3})  # fmt: skip
    (step,) = one(tmp_path, outer, inner, innermost).steps
    assert step.usage is not None
    assert step.usage.input_tokens == 3


def test_a_tool_without_an_id_belongs_to_the_call_whose_result_it_gave(tmp_path: Path) -> None:
    both = message("assistant", call("look", "c1", {"where": "out"}), call("look", "c2", {"where": "in"}))
    shown = [message("tool", response("c1", "20")), message("tool", response("c2", "25"))]
    trajectory = one(
        tmp_path,
        chat(1, [USER], [both]),
        tool(2.1, "look", arguments='{"where": "in"}', result="25"),
        tool(2.2, "look", arguments='{"where": "out"}', result="20"),
        chat(4, [USER, both, *shown], [ANSWER]),
    )
    made, _ = trajectory.steps
    assert [(item.call_id, item.value, item.extra) for item in made.results] == [("c1", "20", None), ("c2", "25", None)]  # fmt: skip
    assert trajectory.lost == ()


@pytest.mark.parametrize(
    ("calls", "arguments", "flag"),
    [
        ([{"where": "out"}, {"where": "in"}], '{"where": "in"}', "name and arguments"),
        ([{"where": "in"}, {"where": "in"}], '{"where": "in"}', "name and arguments and order"),
        ([{"where": "in"}], None, "name"),
        ([{"where": "in"}, {"where": "out"}], None, "name and order"),
    ],
)
def test_a_result_that_no_id_pairs_is_flagged(
    tmp_path: Path, calls: list[Any], arguments: str | None, flag: str
) -> None:
    asked = message("assistant", *(call("look", f"c{at}", args) for at, args in enumerate(calls)))
    told = {"arguments": arguments} if arguments is not None else {}
    trajectory = one(tmp_path, chat(1, [USER], [asked]), tool(3, "look", result="25", **told))
    (step,) = trajectory.steps
    (result,) = step.results
    assert (result.value, result.call_id) == ("25", None)
    assert result.extra is not None
    assert result.extra["paired_by"] == flag
    (lost,) = trajectory.lost
    assert "ids that say which call" in lost


@pytest.mark.parametrize("name", ["look", "other"])
def test_a_tool_that_no_call_asked_for_is_a_step_of_its_own(tmp_path: Path, name: str) -> None:
    asked = message("assistant", call("look", "c1", {"where": "out"}))
    run = tool(3, name, arguments='{"where": "in"}', result="25")
    trajectory = one(tmp_path, chat(1, [USER], [asked]), run)
    made, alone = trajectory.steps
    assert made.results == ()
    assert [(item.name, item.args) for item in alone.calls] == [(name, {"where": "in"})]
    assert [item.value for item in alone.results] == ["25"]


def test_a_call_of_an_agent_that_is_traced_twice_keeps_the_first_form(tmp_path: Path) -> None:
    shown = message("tool", response("c1", "It says: 20 degrees"))
    trajectory = one(tmp_path, chat(1, [USER], [ASK]), tool(2, "look", "c1", result="20 degrees"), chat(4, [USER, ASK, shown], [ANSWER]))  # fmt: skip
    assert [item.value for item in trajectory.steps[0].results] == ["20 degrees"]
    assert trajectory.lost == ("a tool's result in the words in which the model was shown it",)


def test_an_input_that_gives_calls_other_ids_adds_no_step(tmp_path: Path) -> None:
    renamed = message("assistant", call("look", "fc_1", '{"where": "out"}'))
    trajectory = one(tmp_path, chat(1, [USER], [ASK]), chat(4, [USER, renamed, SEEN], [ANSWER]))
    assert len(trajectory.steps) == 2
    assert [item.value for item in trajectory.steps[0].results] == ["20 degrees"]


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ({"status": {"code": "ERROR", "message": "too slow"}}, None, "too slow"),
        ({"status": {"code": 2}, "attributes": {"error.type": "Timeout"}}, "Timeout", "Timeout"),
        (
            {"status": {"status_code": "ERROR"}, "span_events": [{"name": "exception", "attributes": {"exception.type": "E", "exception.message": "m"}}]},
            "E",
            "m",
        ),
    ],
)  # fmt: skip
def test_an_error_of_a_tool_stands_beside_its_call(
    tmp_path: Path, more: dict[str, Any], code: str | None, words: str
) -> None:
    root = agent("helper", 0, 9, status={"code": "ERROR"})
    trajectory = one(tmp_path, root, chat(1, [USER], [ASK]), tool(3, "look", "c1", **more))
    (step,) = trajectory.steps
    (error,) = step.errors
    assert (error.code, error.message, error.extra) == (code, words, {"call": "c1"})


def test_an_error_that_only_the_agent_tells_is_a_step(tmp_path: Path) -> None:
    root = agent("helper", 0, 9, status={"code": "ERROR", "message": "out of budget"})
    trajectory = one(tmp_path, root, chat(1, [USER], [ASK], parent=root["span_id"]))
    assert [error.message for error in trajectory.steps[-1].errors] == ["out of budget"]


def test_a_batch_that_was_exported_twice_is_read_once(tmp_path: Path) -> None:
    trajectory = one(tmp_path, *RUN, *RUN[:2])
    assert len(trajectory.steps) == 2
    assert trajectory.lost == ("a span that has the id of another one of its trace (2 times)",)


# --- messages -------------------------------------------------------------------------


def test_every_part_of_a_message(tmp_path: Path) -> None:
    said = message("user", text("See"), {"type": "blob", "mime_type": "image/png", "content": "iVBORw0KGgo="}, {"type": "uri", "uri": "http://x/y.png", "mime_type": "image/png"}, {"type": "novel", "a": 1})  # fmt: skip
    thought = message("assistant", {"type": "reasoning", "content": "hm"}, call("look", "c", "{not json"))
    trajectory = one(tmp_path, chat(1, [said], [thought]))
    _, blob, uri, novel = trajectory.invocations[0].user_content.items
    assert isinstance(blob, Blob)
    assert (blob.mime_type, blob.data) == ("image/png", None)
    assert isinstance(uri, Blob)
    assert uri.uri == "http://x/y.png"
    assert novel == Opaque(name="novel", value={"type": "novel", "a": 1})
    assert trajectory.lost == ("the content of a blob",)
    again = one(tmp_path, chat(1, [said], [thought]), chat(3, [said, thought], [ANSWER]))
    assert again.lost == trajectory.lost
    (step,) = trajectory.steps
    assert step.items[0] == Claim(text="hm")
    assert [(item.args, item.raw_args) for item in step.calls] == [(None, "{not json")]


def test_attributes_and_events_that_nothing_reads_are_lost(tmp_path: Path) -> None:
    event = {"name": "gen_ai.evaluation.result", "attributes": {}}
    more = {"app.request.7.id": "r", "gen_ai.request.seed": 4}
    said = {**chat(1, [USER], [ANSWER], attributes=more), "span_events": [event, {"name": "exception"}]}
    trajectory = one(tmp_path, said)
    assert trajectory.lost == ("the attribute 'app.request.*.id'", "the event 'gen_ai.evaluation.result'")


def test_content_that_was_cut_off_is_said_to_be_lost(tmp_path: Path) -> None:
    cut = {"gen_ai.output.messages": '[{"role": "assistant", "par'}
    trajectory = one(tmp_path, chat(1, [USER], [], attributes=cut))
    assert len(trajectory.steps) == 1
    assert trajectory.lost == ("gen_ai.output.messages, which is no list of messages (a long attribute may have been cut off)",)  # fmt: skip


OLD_EVENTS = {
    "span_events": [
        {"name": "gen_ai.system.message", "attributes": {"content": "Be brief."}},
        {"name": "gen_ai.user.message", "attributes": {"content": "How warm is it?"}},
        {"name": "gen_ai.choice", "attributes": {"index": 0, "finish_reason": "tool_calls", "message": json.dumps({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]})}},
    ],
    "attributes": {"gen_ai.operation.name": "chat"},
}  # fmt: skip
NUMBERED = {
    "attributes": {
        "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
        "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "How warm is it?",
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "look", "gen_ai.completion.0.tool_calls.0.arguments": "{}",
    }
}  # fmt: skip


@pytest.mark.parametrize("older", [OLD_EVENTS, NUMBERED])
def test_content_as_older_instrumentations_write_it(tmp_path: Path, older: dict[str, Any]) -> None:
    (turn,) = one(tmp_path, span("chat", 1, 2, **older)).invocations
    assert turn.user_content.text == "How warm is it?"
    assert [(item.name, item.args, item.id) for item in turn.tool_calls] == [("look", {}, "c1")]
    assert turn.app_details is not None
    assert turn.app_details.agent_details["agent"].instructions == "Be brief."


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no span"),
        ("[]", "no span"),
        ("[7]", "spans.json:1:2: no span"),
        ('{"a": 1}', "spans.json:1, $: found no span"),
        (json.dumps(RUN[0]) + '\n{"trace_id": "t"}', "spans.json:2, $: found no span"),
        ('{"resourceSpans": 7}', "expected a list"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [7]}]}]}', "$.resourceSpans[0].scopeSpans[0].spans[0]: found a number, expected a span"),
        ('[{"trace_id": "t", "span_id": "s", "attributes": 7}]', "$[0].attributes: found a number"),
        ('[{"trace_id": "t", "span_id": "s", "attributes": [{"value": {}}]}]', "$[0].attributes[0]: found no 'key'"),
        ('[{"trace_id": "t", "span_id": "s", "events": 7}]', "$[0].events: found a number"),
        ('[{"trace_id": "t"', "spans.json:1"),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused_with_its_place(
    refusal: Callable[..., str], content: str, words: str
) -> None:
    assert words in refusal(reader(), "spans.json", content)


@pytest.mark.parametrize(
    "head",
    [
        json.dumps([span("GET", 1, 2, attributes={"http.method": "GET"})]).encode(),
        json.dumps(
            [span("x", 1, 2, attributes={"openinference.span.kind": "LLM", "gen_ai.system": "a"})]
        ).encode(),
        b'{"messages": [{"role": "user", "content": "what is \\"gen_ai.system\\"?"}]}',
        b'{"gen_ai.operation.name": "chat"}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("spans.json"))


def test_a_head_that_is_cut_is_recognised() -> None:
    first = span("invocation", 0, 9)
    head = json.dumps(otlp([first, chat(1, [message("user", text("x" * 100_000))], [])]))
    assert reader().sniff(head[:65536].encode(), Path("any"))


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "parts", "type", "content", "name", "arguments", "id", "response", "key", "value", "stringValue", "contents", "config"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
names = st.sampled_from(["gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.usage.input_tokens", "error.type", "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response", "gen_ai.prompt.0.role", "gen_ai.prompt.0.content", "gen_ai.completion.0.tool_calls.0.name"])  # fmt: skip
messages = st.lists(st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool", "system"]), "parts": st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "tool_call", "tool_call_response", "reasoning", "blob"])}, optional=dict.fromkeys(("content", "id", "name", "arguments", "response"), json_values | st.sampled_from(["a", "b"]))), max_size=3)}), max_size=3)  # fmt: skip
operations = st.sampled_from(["chat", "execute_tool", "invoke_agent", "embeddings"])
attributes = st.builds(lambda operation, rest: {**rest, "gen_ai.operation.name": operation}, operations, st.dictionaries(names, json_values | messages | json_values.map(json.dumps), max_size=5))  # fmt: skip
spans = st.lists(
    st.fixed_dictionaries(
        {"trace_id": st.sampled_from(["t", "u"]), "span_id": st.sampled_from(["a", "b", "c", "d"])},
        optional={"parent_span_id": st.sampled_from(["a", "b", "c", None]) | json_values, "start_time": st.integers(0, 9) | json_values, "end_time": st.integers(0, 9) | json_values, "attributes": attributes | json_values, "status": json_values, "name": json_values, "events": json_values},
    ),
    max_size=5,
)  # fmt: skip


@given(json_values | spans)
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
            numbers = [step.number for step in trajectory.steps]
            assert numbers == list(range(1, len(numbers) + 1))


# --- real traces ----------------------------------------------------------------------


def real(folder: Path, name: str) -> Trajectory:
    path = folder / "otel_spans" / f"{name}.json"
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    return trajectory


def told(trajectory: Trajectory) -> list[tuple[str | None, list[str], list[Any]]]:
    """Who called what with what result, step by step."""
    return [
        (step.author, [made.name for made in step.calls], [result.value for result in step.results])
        for step in trajectory.steps
    ]


def test_a_trace_of_adk(shared_data: Path) -> None:
    trajectory = real(shared_data, "adk_live_spans")
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "What is 15 multiplied by 37?"
    assert told(trajectory) == [("math_agent", ["calculator"], [{"result": "555"}]), ("math_agent", [], [])]
    assert turn.final_response is not None
    assert turn.final_response.text == "15 multiplied by 37 is 555."
    usages = [step.usage for step in turn.steps]
    assert [usage and (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) for usage in usages] == [(157, 51, 32), (222, 33, 20)]  # fmt: skip
    assert turn.app_details is not None
    assert turn.app_details.agent_details["math_agent"].instructions.startswith("You are a math assistant.")
    assert trajectory.lost == (
        "the attribute 'gen_ai.agent.description'",
        "the attribute 'gen_ai.tool.description'",
    )


def test_a_trace_with_a_tool_that_timed_out(shared_data: Path) -> None:
    trajectory = real(shared_data, "otel_genai_convention_spans")
    (turn,) = trajectory.invocations
    assert told(trajectory)[0] == ("WeatherAssistant", ["get_weather", "get_weather"], ["rainy, 57°F", "Error: TimeoutError"])  # fmt: skip
    assert [error.message for error in turn.steps[0].errors] == ["TimeoutError"]
    assert turn.intermediate_texts == (("WeatherAssistant", "Let me check the weather for both cities."),)
    assert turn.final_response is not None
    assert "service timeout" in turn.final_response.text


def test_a_trace_of_pydantic_ai(shared_data: Path) -> None:
    trajectory = real(shared_data, "pydantic_ai_live_spans")
    assert trajectory.invocations[0].user_content.text == "What's the weather like in Seattle right now?"
    assert told(trajectory) == [
        ("agent", ["get_weather"], ["62°F, cloudy with light rain"]),
        ("agent", [], []),
    ]


def test_a_trace_of_three_openai_agents(shared_data: Path) -> None:
    trajectory = real(shared_data, "openai_agents_genai_live_spans")
    (turn,) = trajectory.invocations
    assert turn.user_content.text.startswith("Look up the stock price for AMZN")
    assert [(author, calls) for author, calls, _ in told(trajectory)] == [
        ("coordinator", ["ask_research_specialist"]),
        ("research_specialist", ["lookup_stock_price"]),
        ("research_specialist", []),
        ("coordinator", ["ask_math_specialist"]),
        ("math_specialist", ["multiply_numbers"]),
        ("math_specialist", ["multiply_numbers"]),
        ("math_specialist", []),
        ("coordinator", []),
    ]
    # Its tools' spans have no ids; what the models were shown names every call.
    assert all(len(step.results) == len(step.calls) for step in turn.steps)
    assert turn.final_response is not None
    assert turn.final_response.text.endswith("1,000 shares would be worth $240,980.")
    assert trajectory.lost == ("the attribute 'traceloop.workflow.name'",)
