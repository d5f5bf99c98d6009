"""Spans by the OpenInference conventions: messages over many attributes, tools, and what else a trace has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.model import Blob, Claim, Observation, Opaque
from adjudge.plugin import (
    InputError,
    ReadOptions,
    Source,
    TraceReader,
    Trajectory,
)
from adjudge_plugins.readers import openinference_reader as plugin


def reader() -> TraceReader:
    (spec,) = plugin.trace_readers()
    return spec.factory(spec.config(), None)  # type: ignore[arg-type]


def span(kind: str, start: float, end: float, parent: str | None = None, name: str = "", trace: str = "t1", **more: Any) -> dict[str, Any]:  # fmt: skip
    nano = 1_000_000_000
    return {
        "trace_id": trace, "span_id": f"{kind}-{start}", "parent_span_id": parent, "name": name or kind.lower(),
        "start_time": int(start * nano), "end_time": int(end * nano),
        "attributes": {"openinference.span.kind": kind, **more},
    }  # fmt: skip


def written(prefix: str, *messages: dict[str, Any]) -> dict[str, Any]:
    """Messages in the way of the convention: an attribute for every leaf."""

    def leaves(value: Any, name: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return {
                key: leaf
                for part, inner in value.items()
                for key, leaf in leaves(inner, f"{name}.{part}").items()
            }
        if isinstance(value, list):
            return {
                key: leaf
                for at, inner in enumerate(value)
                for key, leaf in leaves(inner, f"{name}.{at}").items()
            }
        return {name: value}

    return {
        key: leaf
        for at, message in enumerate(messages)
        for key, leaf in leaves(message, f"llm.{prefix}_messages.{at}.message").items()
    }


def llm(start: float, given_: list[Any], gave: list[Any], **more: Any) -> dict[str, Any]:
    attributes = {**written("input", *given_), **written("output", *gave), **more.pop("attributes", {})}
    return span("LLM", start, start + 1, **more, **attributes)


def calling(*calls: tuple[str, str, str]) -> dict[str, Any]:
    listed = [{"tool_call": {"id": call_id, "function": {"name": name, "arguments": args}}} for call_id, name, args in calls]  # fmt: skip
    return {"role": "assistant", "tool_calls": listed}


USER = {"role": "user", "content": "How warm is it?"}
ASK = calling(("c1", "look", '{"where": "out"}'))
SEEN = {"role": "tool", "tool_call_id": "c1", "content": "20 degrees"}
ANSWER = {"role": "assistant", "content": "It is 20 degrees."}


def one(folder: Path, *spans: dict[str, Any]) -> Trajectory:
    path = folder / "spans.json"
    path.write_text(json.dumps(spans))
    assert reader().sniff(path.read_bytes()[: 64 * 1024], path)
    (trajectory,) = reader().read(Source(path), ReadOptions())
    return trajectory


def test_a_run_of_an_agent(tmp_path: Path) -> None:
    root = span("AGENT", 0, 9, name="helper")
    tools = {"llm.tools.0.tool.json_schema": '{"name": "look"}', "llm.model_name": "m-1", "llm.token_count.prompt": 7, "llm.token_count.prompt_details.cache_read": 3}  # fmt: skip
    trajectory = one(
        tmp_path,
        llm(5, [USER, ASK, SEEN], [ANSWER], parent="AGENT-0"),
        span(
            "TOOL",
            3,
            4,
            "AGENT-0",
            "look",
            **{"input.value": '{"where": "out"}', "output.value": "20 degrees"},
        ),
        llm(1, [{"role": "system", "content": "Be brief."}, USER], [ASK], parent="AGENT-0", attributes=tools),
        root,
    )
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "How warm is it?"
    made, last = turn.steps
    assert (made.author, made.model, made.source_ref) == ("helper", "m-1", "spans.json:1 $[2]")
    assert [(item.name, item.args, item.id) for item in made.calls] == [("look", {"where": "out"}, "c1")]
    assert [(item.value, item.call_id) for item in made.results] == [("20 degrees", "c1")]
    assert made.usage is not None
    assert (made.usage.input_tokens, made.usage.cached_tokens, made.usage.output_tokens) == (7, 3, None)
    assert last.items == ()
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."
    assert turn.app_details is not None
    details = turn.app_details.agent_details["helper"]
    assert (details.instructions, details.tool_declarations) == ("Be brief.", ({"name": "look"},))
    assert trajectory.lost == ()


def test_more_than_ten_messages_stay_in_order(tmp_path: Path) -> None:
    talk = [{"role": "user" if at % 2 == 0 else "assistant", "content": str(at)} for at in range(13)]
    trajectory = one(tmp_path, llm(1, talk, [ANSWER]))
    assert [turn.user_content.text for turn in trajectory.invocations] == [
        "0",
        "2",
        "4",
        "6",
        "8",
        "10",
        "12",
    ]


def test_every_content_of_a_message(tmp_path: Path) -> None:
    contents = [
        {"message_content": {"type": "text", "text": "See"}},
        {"message_content": {"type": "image", "image": {"image": {"url": "http://x/y.png"}}}},
        {
            "message_content": {
                "type": "image",
                "image": {"image": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            }
        },
        {"message_content": {"type": "audio", "audio": {"audio": {"url": "http://x/y.wav"}}}},
    ]
    thought = [{"message_content": {"type": "reasoning", "text": "hm"}}]
    said = llm(1, [{"role": "user", "contents": contents}], [{"role": "assistant", "contents": thought, **calling(("c", "look", "{not json"))}])  # fmt: skip
    trajectory = one(tmp_path, said)
    text, outside, inside, audio = trajectory.invocations[0].user_content.items
    assert text.model_dump()["text"] == "See"
    assert isinstance(outside, Blob)
    assert isinstance(inside, Blob)
    assert (outside.uri, inside.mime_type, inside.uri, inside.data) == (
        "http://x/y.png",
        "image/png",
        None,
        None,
    )
    assert isinstance(audio, Opaque)
    assert trajectory.lost == ("the content of a blob (image/png)",)
    (step,) = trajectory.steps
    assert step.items[0] == Claim(text="hm")
    assert [(item.args, item.raw_args) for item in step.calls] == [(None, "{not json")]


def test_parts_may_stand_under_content(tmp_path: Path) -> None:
    """Two instrumentations, for LangChain and for Anthropic, write ``message.content.0``."""
    listed = {"role": "user", "content": ["How warm", "is it?"]}
    told = {"message_content": {"type": "text", "text": "It is 20 degrees."}}
    trajectory = one(tmp_path, llm(1, [listed], [{"role": "assistant", "content": [told]}]))
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "How warm\nis it?"
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."
    assert trajectory.lost == ()


def test_a_content_that_is_a_text_and_a_list_is_both(tmp_path: Path) -> None:
    said = llm(1, [USER], [ANSWER])
    said["attributes"]["llm.input_messages.0.message.content.1.message_content.text"] = "And inside?"
    trajectory = one(tmp_path, said)
    assert trajectory.invocations[0].user_content.text == "How warm is it?\nAnd inside?"


def test_a_content_that_is_written_twice_is_said_once(tmp_path: Path) -> None:
    """The instrumentation of the OpenAI Agents SDK writes a text as the content and as the only part of it."""
    given, gave = "llm.input_messages.0.message", "llm.output_messages.0.message"
    said = llm(1, [USER], [ANSWER])
    said["attributes"][f"{given}.contents.0.message_content.text"] = said["attributes"][f"{given}.content"]
    said["attributes"][f"{gave}.contents.0.message_content.text"] = said["attributes"][f"{gave}.content"]
    (turn,) = one(tmp_path, said).invocations
    assert turn.user_content.text == "How warm is it?"
    assert turn.final_response is not None
    assert turn.final_response.text == said["attributes"][f"{gave}.content"]


def block(kind: str, **members: Any) -> dict[str, Any]:
    return {"message_content": {"type": kind, kind: members}}


BRINGING = [
    pytest.param({"content": "20 degrees"}, {}, id="a text"),
    pytest.param(
        {"content": [{"message_content": {"type": "text", "text": "20 degrees"}}], "status": "success"},
        {"status": "success"},
        id="a list",
    ),
]


@pytest.mark.parametrize(("gave", "extra"), BRINGING)
def test_a_result_inside_the_message_of_a_user_is_no_turn(
    tmp_path: Path, gave: dict[str, Any], extra: dict[str, Any]
) -> None:
    """Anthropic and Bedrock send results as parts of a user's message, and calls as parts of the agent's."""
    asked = {
        "role": "assistant",
        "contents": [block("tool_use", id="c1", name="look", input='{"where": "out"}')],
    }
    brought = {"role": "user", "contents": [block("tool_result", tool_use_id="c1", **gave)]}
    trajectory = one(tmp_path, llm(1, [USER], [asked]), llm(3, [USER, asked, brought], [ANSWER]))
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "How warm is it?"
    made, _ = turn.steps
    assert [(item.name, item.args, item.id) for item in made.calls] == [("look", {"where": "out"}, "c1")]
    assert [(item.name, item.value, item.extra or {}) for item in made.results] == [
        ("look", "20 degrees", extra)
    ]
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."
    assert trajectory.lost == ()


def test_a_user_may_say_something_beside_a_result(tmp_path: Path) -> None:
    words = [{"message_content": {"type": "text", "text": "And inside?"}}]
    brought = {"role": "user", "tool_call_id": "c1", "content": "20 degrees", "contents": words}
    trajectory = one(tmp_path, llm(1, [USER], [ASK]), llm(3, [USER, ASK, brought], [ANSWER]))
    first, second = trajectory.invocations
    assert [item.value for item in first.steps[0].results] == ["20 degrees"]
    assert second.user_content.text == "And inside?"


def test_the_message_of_a_tool_is_never_a_turn(tmp_path: Path) -> None:
    picture = {"message_content": {"type": "image", "image": {"image": {"url": "http://x/y.png"}}}}
    seen = {"role": "Tool", "tool_call_id": "c1", "contents": [picture]}
    trajectory = one(tmp_path, llm(1, [USER], [ASK]), llm(3, [USER, ASK, seen], [ANSWER]))
    (turn,) = trajectory.invocations
    assert [item.uri for step in turn.steps for item in step.items if isinstance(item, Blob)] == [
        "http://x/y.png"
    ]


def test_attributes_that_nothing_reads_are_lost(tmp_path: Path) -> None:
    named = {"role": "assistant", "content": "Hi.", "mood": "good"}
    more = {
        "llm.invocation_parameters": "{}",
        "llm.prompts.0.prompt.text": "p",
        "llm.prompts.1.prompt.text": "q",
    }
    chain = span("CHAIN", 0, 9, **{"metadata": "{}", "session.id": "s"})
    trajectory = one(tmp_path, chain, llm(1, [USER], [named], parent="CHAIN-0", attributes=more))
    assert set(trajectory.lost) == {
        "the attribute 'metadata'",
        "the attribute 'llm.prompts.*.prompt.text' (2 times)",
        "message.mood of a message",
    }
    assert trajectory.steps[0].extra is not None
    assert trajectory.steps[0].extra["llm.invocation_parameters"] == "{}"


def test_a_message_of_langchain_names_the_call_that_it_answers(tmp_path: Path) -> None:
    output = {"output.value": json.dumps({"content": "20", "tool_call_id": "c1", "status": "success"})}
    trajectory = one(tmp_path, llm(1, [USER], [ASK]), span("TOOL", 3, 4, name="look", **output))
    (result,) = trajectory.steps[0].results
    assert (result.value, result.call_id) == ("20", "c1")
    assert result.extra is not None
    assert result.extra["status"] == "success"


def test_sessions_join_traces(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        llm(1, [USER], [ANSWER], trace="t1", attributes={"session.id": "s"}),
        llm(
            5, [{"role": "user", "content": "And in?"}], [ANSWER], trace="t2", attributes={"session.id": "s"}
        ),
    )
    assert trajectory.session_id == "s"
    assert [turn.user_content.text for turn in trajectory.invocations] == ["How warm is it?", "And in?"]


def test_documents_are_observations_and_guards_stay_as_they_are(tmp_path: Path) -> None:
    found = {"input.value": "warm?", "retrieval.documents.0.document.content": "Summer.", "retrieval.documents.1.document.content": "Winter."}  # fmt: skip
    trajectory = one(
        tmp_path,
        span("RETRIEVER", 1, 2, name="search", **found),
        llm(3, [USER], [ANSWER]),
        span("GUARDRAIL", 5, 6, name="polite", **{"output.value": "yes"}),
    )
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "How warm is it?"
    assert turn.steps[0].items == (
        Observation(text="Summer.", source="search", extra={"query": "warm?"}),
        Observation(text="Winter.", source="search", extra={"query": "warm?"}),
    )
    assert turn.steps[2].items == (Opaque(name="guardrail", value={"name": "polite", "output": "yes"}),)
    assert turn.final_response is not None


def test_an_agent_and_a_chain_in_which_nothing_is_told(tmp_path: Path) -> None:
    trajectory = one(
        tmp_path,
        span("CHAIN", 0, 9, name="graph"),
        llm(1, [USER], [ANSWER], parent="CHAIN-0"),
        span(
            "AGENT",
            3,
            4,
            "CHAIN-0",
            "router",
            **{"input.value": "{'to': 'x'}", "output.value": '{"done": true}'},
        ),
        span("CHAIN", 5, 6, "CHAIN-0", "should_continue", **{"output.value": '{"next": "end"}'}),
    )
    value = {"name": "router", "input": "{'to': 'x'}", "output": '{"done": true}'}
    assert trajectory.steps[1].items == (Opaque(name="agent", value=value),)
    assert trajectory.lost == ("what chains without a model call took in and gave out",)


def test_plain_text_where_messages_are_missing(tmp_path: Path) -> None:
    whole = {"input.value": "How warm is it?", "output.value": "It is 20 degrees."}
    (turn,) = one(tmp_path, span("LLM", 1, 2, **whole)).invocations
    assert turn.user_content.text == "How warm is it?"
    assert turn.final_response is not None
    assert turn.final_response.text == "It is 20 degrees."


@pytest.mark.parametrize(
    "head",
    [
        json.dumps(
            [{"trace_id": "t", "span_id": "s", "name": "chat", "attributes": {"gen_ai.system": "a"}}]
        ).encode(),
        b'{"messages": [{"role": "user", "content": "\\"openinference.span.kind\\""}]}',
        b'{"openinference.span.kind": "LLM"}',
    ],
)
def test_other_formats_are_not_recognised(head: bytes) -> None:
    assert not reader().sniff(head, Path("spans.json"))


def test_a_broken_file_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps(llm(1, [USER], [ANSWER])) + "\n{}")
    with pytest.raises(InputError, match=r"spans\.jsonl:2, \$: found no span"):
        list(reader().read(Source(path), ReadOptions()))


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_head_makes_it_raise(head: bytes) -> None:
    reader().sniff(head, Path("any"))


values = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | st.sampled_from(["user", "assistant", "tool", '{"content": 1, "tool_call_id": "c"}', "[1]", "{"]) | st.lists(st.integers(), max_size=2) | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)  # fmt: skip
part = st.sampled_from(["message.role", "message.content", "message.tool_call_id", "message.tool_calls.0.tool_call.id", "message.tool_calls.1.tool_call.function.name", "message.contents.0.message_content.type", "message.contents.0.message_content.text", "message.contents", "0", "00.1", ""])  # fmt: skip
names = st.builds(lambda side, at, end: f"llm.{side}_messages.{at}.{end}", st.sampled_from(["input", "output"]), st.sampled_from(["0", "1", "-1", "x", ""]), part) | st.sampled_from(["input.value", "output.value", "tool.name", "session.id", "agent.name", "llm.tools.0.tool.json_schema", "retrieval.documents.0.document.content", "llm.token_count.prompt"])  # fmt: skip
kinds = st.sampled_from(["LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "", "novel"])
attributes = st.builds(lambda kind, rest: {**rest, "openinference.span.kind": kind}, kinds, st.dictionaries(names, values, max_size=6))  # fmt: skip
spans = st.lists(
    st.fixed_dictionaries(
        {"trace_id": st.just("t"), "span_id": st.sampled_from("abcd"), "attributes": attributes},
        optional={"parent_span_id": st.sampled_from("abc"), "start_time": st.integers(0, 9), "name": values},
    ),
    max_size=5,
)


@given(spans)
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


def test_a_trace_of_two_openai_agents(shared_data: Path) -> None:
    trajectory = real(shared_data, "openai_agents_openinference_live_spans")
    (turn,) = trajectory.invocations
    assert turn.user_content.text == "What is 42 multiplied by 17, then divided by 3?"
    (first, *inner, last) = told(trajectory)
    assert first[:2] == ("coordinator", ["ask_math_specialist"])
    assert inner == [
        ("math_specialist", ["multiply_numbers", "divide_numbers"], ["714", "0.0"]),
        ("math_specialist", ["divide_numbers"], ["238.0"]),
        ("math_specialist", [], []),
    ]
    assert last == ("coordinator", [], [])
    assert turn.final_response is not None
    assert "**238**" in turn.final_response.text
    assert trajectory.lost == ()


def test_a_trace_of_langgraph(shared_data: Path) -> None:
    trajectory = real(shared_data, "openinference_live_spans")
    assert [turn.user_content.text for turn in trajectory.invocations] == ["What is the weather difference between Taipei and Seattle?", "Now compare them."]  # fmt: skip
    assert told(trajectory) == [
        (None, ["get_weather"], []),
        ("route_to_agent", [], []),
        (None, ["finish"], ["Taipei is warmer than Seattle."]),
    ]


def test_a_handoff_is_the_call_that_the_model_made_for_it(shared_data: Path) -> None:
    path = shared_data / "more_logs" / "adot_spans" / "openai_agents_openinference_adot_spans.json"
    (spec,) = plugin.trace_readers()
    reader = spec.factory(spec.config(), None)  # type: ignore[arg-type]
    runs = list(reader.read(Source(path), ReadOptions()))
    names = [call.name for run in runs for step in run.steps for call in step.calls]
    assert names.count("transfer_to_math_specialist") == 1
    assert not [name for name in names if name.startswith("handoff")]
