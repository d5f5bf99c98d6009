"""Tools: those that an application declares, in everybody's forms, and those whose call is an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.invocation import Invocation

_LISTS: Final = ("function_declarations", "functionDeclarations")
"""Where a ``Tool`` of google-genai, which ADK writes, has its functions."""

_SCHEMAS: Final = (
    "parameters_json_schema",
    "parametersJsonSchema",
    "parameters",
    "input_schema",
    "inputSchema",
)
"""Where a function's schema lies: google-genai, OpenAI, Anthropic, MCP."""

_OF_ADK: Final = frozenset({"adk_request_credential", "adk_request_confirmation", "adk_request_input"})
"""Calls that ADK itself makes in the agent's name (``google.adk.flows.llm_flows.functions``)."""


_TRANSFERS: Final = ("transfer_to_", "handoff_to_")
"""How frameworks call the tool by which an agent hands over to another (ADK, OpenAI Agents, LangGraph)."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool that the agent was told of."""

    name: str
    schema: JsonObject | None = None
    """The JSON schema of its arguments; ``None`` where the declaration has none."""
    takes_text: bool = False
    """Whether its input is a text and no object (OpenAI's tools of type ``custom``)."""


def declared_tools(turns: Iterable[Invocation]) -> dict[str, list[DeclaredTool]]:
    """The tools of all agents of all turns by name; agents may declare different tools under one name."""
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
    """Whether a call of this name is the framework's own, which no agent declares: of ADK, or a transfer."""
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
    elif isinstance(data.get("type"), str):  # a tool of the provider's own: {"type": "web_search"}
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
"""google-genai's ``Schema`` has the keywords of OpenAPI 3.0 in Python's spelling."""

_LIMITS: Final = frozenset(
    {"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"}
)
"""Integers of 64 bits, which protobuf writes as texts."""

_SCHEMAS_BELOW: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_LISTS_BELOW: Final = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})
_SCHEMA_BELOW: Final = frozenset({"items", "additionalProperties", "not"})


def _as_json_schema(schema: Any) -> Any:
    """A schema of google-genai or of OpenAPI as a JSON schema; a JSON schema stays what it is."""
    if not isinstance(schema, Mapping):
        return schema
    found: JsonObject = {}
    for written, value in cast("Mapping[str, Any]", schema).items():
        key = _KEYWORDS.get(written, written)
        if value is None and key not in {"const", "default"}:
            continue  # a field of the class that is not set
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
    """The same schema, null allowed. It is widened in place, because pointers into it must still hold."""
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
    """Whether a call of a tool of this name is an answer: what it says are the agent's own words."""
    return tool.lower() in _ANSWERING


_THINKING: Final = frozenset({"think"})


def is_thought(tool: str) -> bool:
    """Whether a call of a tool of this name does nothing but keep what the agent thinks: no action."""
    return tool.lower() in _THINKING
