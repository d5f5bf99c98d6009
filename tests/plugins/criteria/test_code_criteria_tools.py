"""Calls against the declarations of their tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudge.model import (
    AgentDetails,
    AppDetails,
    Content,
    ConversationScenario,
    EvalCase,
    Invocation,
    Step,
    ToolCall,
)
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Outcome,
    Trajectory,
)
from adjudge_plugins.criteria.trace import invalid_arguments, unknown_tools

Measure = Callable[..., Measurement]

PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
}
ADK = {
    "function_declarations": [
        {
            "name": "look",
            "description": None,
            "parameters": {
                "type": "OBJECT",
                "title": None,
                "properties": {
                    "city": {"type": "STRING", "min_length": "1"},
                    "days": {"type": "INTEGER", "nullable": True},
                    "tags": {"type": "ARRAY", "items": {"type": "STRING", "enum": ["a", "b"]}},
                    "any_of": {"any_of": [{"type": "STRING"}, {"type": "NUMBER"}]},
                },
                "required": ["city"],
            },
        }
    ],
    "google_search": None,
}
FORMS: dict[str, Any] = {
    "ADK": ADK,
    "ADK, camelCase, JSON schema": {
        "functionDeclarations": [{"name": "look", "parametersJsonSchema": PLACE}]
    },
    "OpenAI": {"type": "function", "function": {"name": "look", "parameters": PLACE}},
    "OpenAI responses": {"type": "function", "name": "look", "parameters": PLACE},
    "Anthropic": {"name": "look", "input_schema": PLACE},
    "MCP": {"name": "look", "inputSchema": PLACE},
}


def outcome(
    measure: Measure, plugin: Any, calls: list[ToolCall], *declarations: Any, agents: int = 1
) -> Outcome:
    details = {
        f"agent_{number}": AgentDetails(
            name=f"agent_{number}", tool_declarations=tuple(declarations[number::agents])
        )
        for number in range(agents)
    }
    turn = Invocation(
        user_content=Content.of_text("?"),
        steps=tuple(Step(number=number, items=(call,)) for number, call in enumerate(calls, start=4)),
        app_details=AppDetails(agent_details=details),
    )
    scenario = ConversationScenario(starting_prompt="hi", conversation_plan="ask")
    case = CaseUnderTest(
        case=EvalCase(eval_id="case", conversation_scenario=scenario), actual=Trajectory(invocations=(turn,))
    )
    found = measure(plugin, case).overall
    assert found is not None
    return found


def call(args: dict[str, Any] | None = None, name: str = "look", raw: str | None = None) -> ToolCall:
    return ToolCall(name=name, args=args, raw_args=raw)


@pytest.mark.parametrize("declaration", FORMS.values(), ids=FORMS.keys())
def test_declarations_of_all_forms_are_read(declaration: Any, measure: Measure) -> None:
    calls = [call({"city": "Oslo"}), call({"city": "Oslo", "days": 2}), call(None), call({"city": 3})]
    found = outcome(measure, invalid_arguments, calls, declaration)

    assert outcome(measure, unknown_tools, calls, declaration).score == 0.0
    assert found.score == 2.0
    assert [row["step"] for row in found.details["calls"]] == [6, 7]
    assert [row["path"] for row in found.details["calls"]] == ["$", "$.city"]
    assert '"city" is a required property' in found.details["calls"][0]["problem"]
    assert found.evidence is not None
    assert [citation.quote for citation in found.evidence.citations] == ["look({})", 'look({"city": 3})']


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"city": "Oslo", "days": None}, None),
        ({"city": "Oslo", "days": 1.5}, "$.days"),
        ({"city": ""}, "$.city"),
        ({"city": "Oslo", "tags": ["a", "c"]}, "$.tags[1]"),
        ({"city": "Oslo", "any_of": 3}, None),
        ({"city": "Oslo", "any_of": []}, "$.any_of"),
        ({"city": "Oslo", "more": 10**40}, None),
    ],
)
def test_the_schema_of_google_genai_means_what_it_says(
    args: dict[str, Any], path: str | None, measure: Measure
) -> None:
    found = outcome(measure, invalid_arguments, [call(args)], ADK)

    assert [row["path"] for row in found.details.get("calls", [])] == ([] if path is None else [path])


def test_arguments_that_are_no_object_are_invalid_unless_the_tool_takes_text(measure: Measure) -> None:
    raw = [call(raw="{'city': 'Oslo'"), call(raw="rm -r", name="shell")]
    found = outcome(measure, invalid_arguments, raw, FORMS["OpenAI"], {"type": "custom", "name": "shell"})

    assert found.score == 1.0
    assert found.reasoning == "1 call with invalid arguments: step 4; first look: $ is no JSON object"


def test_calls_of_tools_that_are_not_declared_are_counted(measure: Measure) -> None:
    calls = [call({}), call({}, "find"), call({}, "adk_request_credential"), call({}, "find"), call({}, "x")]
    found = outcome(measure, unknown_tools, calls, "look")

    assert found.score == 3.0
    assert found.reasoning == "3 calls of tools that are not declared, find, x: steps 5, 7 and 8"
    assert found.details == {"tools": {"find": 2, "x": 1}, "steps": [5, 7, 8], "declared": ["look"]}


@pytest.mark.parametrize("plugin", [unknown_tools, invalid_arguments])
@pytest.mark.parametrize("declarations", [(), ({},), (3,)])
def test_where_nothing_is_declared_it_does_not_apply(
    plugin: Any, declarations: tuple[Any, ...], measure: Measure
) -> None:
    assert outcome(measure, plugin, [call(raw="'147'")], *declarations).state == "not_applicable"


def test_arguments_that_a_log_does_not_record_are_not_wrong(measure: Measure) -> None:
    unrecorded = ToolCall(name="look")

    assert outcome(measure, invalid_arguments, [unrecorded], FORMS["MCP"]).state == "not_applicable"
    assert outcome(measure, invalid_arguments, [], FORMS["MCP"]).reasoning == "no tool call was recorded"
    both = outcome(measure, invalid_arguments, [unrecorded, call({"city": "Oslo"})], FORMS["MCP"])
    assert [row["step"] for row in both.details["calls"]] == [4], "a log that records arguments has none here"


def test_tools_of_the_provider_are_declared_by_their_kind(measure: Measure) -> None:
    calls = [call({}, "web_search"), call({}, "google_search")]

    assert outcome(measure, unknown_tools, calls, {"type": "web_search"}, {"google_search": {}}).score == 0.0


def test_one_declaration_of_several_agents_is_enough(measure: Measure) -> None:
    other = {"name": "look", "input_schema": {"type": "object", "required": ["page"]}}
    calls = [call({"page": 1}), call({"city": "Oslo"}), call({})]
    found = outcome(measure, invalid_arguments, calls, FORMS["MCP"], other, agents=2)

    assert [row["step"] for row in found.details["calls"]] == [6]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": "#/$defs/absent"},
        {"properties": {"city": {"pattern": "("}}},
        {"properties": {"city": {"pattern": r"(a+)+\1$"}}},
    ],
)
def test_a_broken_schema_is_said_and_blames_nobody(schema: dict[str, Any], measure: Measure) -> None:
    found = outcome(
        measure, invalid_arguments, [call({"city": "a" * 60 + "!"})], {"name": "look", "inputSchema": schema}
    )

    assert (found.score, found.details) == (0.0, {"unusable_schemas": ["look"]})


def test_a_pattern_that_takes_others_for_ever_takes_no_time(measure: Measure) -> None:
    schema = {"properties": {"city": {"pattern": "^(a+)+$"}}}
    found = outcome(
        measure,
        invalid_arguments,
        [call({"city": "a" * 5000 + "!"})],
        {"name": "look", "inputSchema": schema},
    )

    assert found.score == 1.0
    assert len(found.details["calls"][0]["problem"]) <= 200


def doubling(levels: int, *, of: str) -> dict[str, Any]:
    """A schema of definitions that each refer twice to the next."""
    following = [{"$ref": f"#/$defs/d{level + 1}"} for level in range(levels)]
    definitions: dict[str, Any] = {f"d{level}": {of: [ref, ref]} for level, ref in enumerate(following)}
    return {"$defs": {**definitions, f"d{levels}": {"type": "object"}}, "$ref": "#/$defs/d0"}


RECURSIVE = {
    "$defs": {
        "tree": {"properties": {"left": {"allOf": [{"$ref": "#/$defs/tree"}, {"$ref": "#/$defs/tree"}]}}}
    },
    "$ref": "#/$defs/tree",
}


@pytest.mark.parametrize(
    "schema",
    [
        doubling(60, of="allOf"),
        doubling(60, of="oneOf"),
        RECURSIVE,
        {"unevaluatedProperties": False, **doubling(60, of="anyOf")},
        {"additionalProperties": doubling(60, of="allOf")["$defs"]["d0"], **doubling(60, of="allOf")},
    ],
)
def test_a_schema_that_multiplies_is_an_error_and_no_day_s_work(measure: Measure, schema: Any) -> None:
    arguments: dict[str, Any] = {}
    for _ in range(60):
        arguments = {"left": arguments}
    found = outcome(measure, invalid_arguments, [call(arguments)], {"name": "look", "inputSchema": schema})
    assert found.state == "error"
    assert found.error is not None and found.error.code == "schema_too_large"
    assert "calls 'look', whose schema takes too many checks" in found.error.message


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (doubling(10, of="allOf"), {"a": 1}, None),
        (RECURSIVE, {"left": {"left": {"left": {}}}}, None),
        (
            {
                "$defs": {"place": {"$anchor": "here", "type": "string"}},
                "properties": {"from": {"$ref": "#here"}, "to": {"$ref": "#/$defs/place"}},
            },
            {"from": "Oslo", "to": "Rome"},
            {"from": 3},
        ),
        (
            {
                "$id": "https://example.com/tree",
                "properties": {"children": {"items": {"$ref": "#"}}, "name": {"type": "string"}},
            },
            {"name": "a", "children": [{"name": "b", "children": []}]},
            {"name": "a", "children": [{"name": 3}]},
        ),
        ({"properties": {"rows": {"items": {"type": "integer"}}}}, {"rows": [1] * 50_000}, {"rows": ["x"]}),
    ],
)
def test_references_that_do_not_multiply_are_followed(
    measure: Measure, schema: Any, good: dict[str, Any], bad: dict[str, Any] | None
) -> None:
    calls = [call(good), *([] if bad is None else [call(bad)])]
    found = outcome(measure, invalid_arguments, calls, {"name": "look", "inputSchema": schema})
    assert found.score == (0.0 if bad is None else 1.0)
