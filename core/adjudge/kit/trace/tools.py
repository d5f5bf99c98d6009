"""Tools: declarations of an application in any provider's form, and tools whose call is an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.invocation import Invocation

_LISTS: Final = ("function_declarations", "functionDeclarations")
"""The keys of the functions in a ``Tool`` of google-genai, which ADK writes."""

_SCHEMAS: Final = (
    "parameters_json_schema",
    "parametersJsonSchema",
    "parameters",
    "input_schema",
    "inputSchema",
)
"""The keys of a function's schema: google-genai, OpenAI, Anthropic, MCP."""

_OF_ADK: Final = frozenset({"adk_request_credential", "adk_request_confirmation", "adk_request_input"})
"""Calls that ADK itself makes in the name of the agent (``google.adk.flows.llm_flows.functions``)."""
_TRANSFERS: Final = ("transfer_to_", "handoff_to_")
"""Prefixes of tools that hand over to another agent (ADK, OpenAI Agents, LangGraph)."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool that is declared to the agent."""

    name: str
    schema: JsonObject | None = None
    """The JSON schema of its arguments; ``None`` if the declaration has none."""
    takes_text: bool = False
    """Whether its input is a text, not an object (OpenAI's tools of type ``custom``)."""


def declared_tools(turns: Iterable[Invocation]) -> dict[str, list[DeclaredTool]]:
    """The tools of all agents in all turns, by name; agents may have different tools of the same name."""
    found: dict[str, list[DeclaredTool]] = {}
    for turn in turns:
        if turn.app_details is None:
            continue
        for agent in turn.app_details.agent_details.values():
            for declaration in agent.tool_declarations:
                for tool in _tools(declaration):
                    alike = found.setdefault(tool.name, [])
                    if tool not in alike:
                        alike.append(tool)
    return found


def is_of_the_framework(name: str) -> bool:
    """Whether a call of this name is made by the framework, and so is not declared: a call of ADK, or a transfer."""
    return name in _OF_ADK or name.startswith(_TRANSFERS)


def _tools(declaration: JsonValue) -> Iterator[DeclaredTool]:
    if isinstance(declaration, str):
        yield DeclaredTool(declaration)
        return
    if not isinstance(declaration, dict):
        return
    data = cast("JsonObject", declaration)
    functions = next((data[key] for key in _LISTS if isinstance(data.get(key), list)), None)
    if functions is not None:
        for function in cast("Sequence[object]", functions):
            yield from _tools(function)
    elif isinstance(data.get("function"), dict):
        yield from _tools(data["function"])
    elif isinstance(data.get("name"), str):
        schema = next((data[key] for key in _SCHEMAS if isinstance(data.get(key), dict)), None)
        yield DeclaredTool(
            data["name"],
            schema=None if schema is None else _as_json_schema(schema),
            takes_text=data.get("type") == "custom",
        )
    elif isinstance(data.get("type"), str):  # a tool of the provider: {"type": "web_search"}
        yield DeclaredTool(data["type"])
    else:  # {"google_search": {}}
        yield from (DeclaredTool(name) for name, value in data.items() if value is not None)


# --- the schemas of google-genai ---------------------------------------------------------

_KEYWORDS: Final = {
    "additional_properties": "additionalProperties",
    "any_of": "anyOf",
    "defs": "$defs",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "ref": "$ref",
}
"""Keywords in google-genai's ``Schema``, which uses OpenAPI 3.0 in snake_case, to JSON schema."""

_LIMITS: Final = frozenset(
    {"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"}
)
"""Keywords with 64-bit integers, which protobuf writes as strings."""

_SCHEMAS_BELOW: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_LISTS_BELOW: Final = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})
_SCHEMA_BELOW: Final = frozenset({"items", "additionalProperties", "not"})


def _as_json_schema(schema: Any) -> Any:
    """Convert a schema of google-genai or OpenAPI to a JSON schema; a JSON schema is unchanged."""
    if not isinstance(schema, Mapping):
        return schema
    found: JsonObject = {}
    for written, value in cast("Mapping[str, Any]", schema).items():
        key = _KEYWORDS.get(written, written)
        if value is None and key not in {"const", "default"}:
            continue  # an unset field of the class
        if key == "type":
            if value != "TYPE_UNSPECIFIED":
                found[key] = _lowered(value)
        elif key in _SCHEMAS_BELOW and isinstance(value, Mapping):
            named = cast("Mapping[str, Any]", value)
            found[key] = {name: _as_json_schema(below) for name, below in named.items()}
        elif key in _LISTS_BELOW and isinstance(value, list):
            found[key] = [_as_json_schema(below) for below in cast("Sequence[Any]", value)]
        elif key in _SCHEMA_BELOW:
            found[key] = _as_json_schema(value)
        elif key in _LIMITS and isinstance(value, str) and value.isdecimal():
            found[key] = int(value)
        else:
            found[key] = value
    return _or_null(found) if found.pop("nullable", False) is True else found


def _or_null(schema: JsonObject) -> JsonObject:
    """Allow null in a schema. The schema is changed in place, so that references into it stay valid."""
    wider: JsonObject = dict(schema)
    if "type" in schema:
        types: Any = schema["type"]
        wider["type"] = [*(types if isinstance(types, list) else [types]), "null"]
    if isinstance(schema.get("enum"), list):
        wider["enum"] = [*schema["enum"], None]
    if isinstance(schema.get("anyOf"), list):
        wider["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return wider


def _lowered(value: Any) -> Any:
    if isinstance(value, list):
        return [_lowered(each) for each in cast("Sequence[Any]", value)]
    return value.lower() if isinstance(value, str) else value


_ANSWERING: Final = frozenset(
    {
        "answer", "complete", "done", "exit", "final_answer", "final_response", "finish", "give_final_answer",
        "report_infeasible", "respond", "response", "return_answer", "send_msg_to_user", "stop", "submit_answer",
        "terminate",
    }
)  # fmt: skip


def is_answer(tool: str) -> bool:
    """Whether a call of a tool of this name is an answer of the agent: its arguments are the agent's own text."""
    return tool.lower() in _ANSWERING


_THINKING: Final = frozenset({"think"})


def is_thought(tool: str) -> bool:
    """Whether a tool of this name only records the agent's thoughts, so that a call is not an action."""
    return tool.lower() in _THINKING
