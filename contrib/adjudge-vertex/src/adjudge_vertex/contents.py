"""Messages and conversations in the format of the REST API.

Definitions: ``Content`` (https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/Content) and
``AgentData`` of ``EvaluationInstance``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import cast

from adjudge.model import (
    Blob,
    Claim,
    ErrorItem,
    Invocation,
    Item,
    JsonObject,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
)

_OPAQUE = {"executable_code": "executableCode", "code_execution_result": "codeExecutionResult"}


def text_data(text: str, role: str) -> JsonObject:
    """A text as ``InstanceData``."""
    return {"contents": {"contents": [{"role": role, "parts": [{"text": text}]}]}}


def agent_data(turns: Sequence[Invocation]) -> JsonObject:
    """A whole conversation as ``AgentData``: what everybody said and did, and who the agents are."""
    data: JsonObject = {
        "turns": [
            {
                "turnIndex": index,
                "turnId": turn.invocation_id or f"turn_{index}",
                "events": list(_events(turn)),
            }
            for index, turn in enumerate(turns)
        ]
    }
    if agents := _agents(turns):
        data["agents"] = agents
    return data


def _events(turn: Invocation) -> Iterator[JsonObject]:
    yield _event("user", "user", turn.user_content.items)
    for step in turn.steps:
        yield from _step_events(step)
    if turn.final_response is not None:
        yield _event("agent", "model", turn.final_response.items)


def _step_events(step: Step) -> Iterator[JsonObject]:
    """What the agent did and what came back are events of their own, as in a conversation with Gemini."""
    for came_back, items in groupby(step.items, lambda item: isinstance(item, ToolResult | Observation)):
        yield _event(step.author or "agent", "user" if came_back else "model", items)


def _event(author: str, role: str, items: Iterable[Item]) -> JsonObject:
    return {"author": author, "content": {"role": role, "parts": [_part(item) for item in items]}}


def _part(item: Item) -> JsonObject:
    match item:
        case Text() | Observation():
            return {"text": item.text}
        case Claim():
            return {"text": item.text, "thought": True}
        case ToolCall():
            return {"functionCall": _given(name=item.name, args=item.args, id=item.id)}
        case ToolResult():
            free = not isinstance(item.value, dict)
            response = {"result": item.value} if free else cast("JsonObject", item.value)
            return {"functionResponse": _given(name=item.name, response=response, id=item.call_id)}
        case Blob(data=None):
            return {"fileData": _given(mimeType=item.mime_type, fileUri=item.uri)}
        case Blob():
            return {"inlineData": _given(mimeType=item.mime_type, data=item.data)}
        case Opaque() if item.name in _OPAQUE:
            return {_OPAQUE[item.name]: item.value}
        case ErrorItem():
            return {"text": f"Error: {item.message}"}
        case _:
            return {"text": f"[{item.name}]"}


def _given(**fields: object) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def _agents(turns: Iterable[Invocation]) -> JsonObject:
    """The configuration of every agent, as the first turn that knows it has it."""
    found: JsonObject = {}
    for turn in turns:
        for name, agent in (turn.app_details.agent_details if turn.app_details else {}).items():
            found.setdefault(
                name,
                {
                    "agentId": agent.name,
                    "instruction": agent.instructions,
                    "tools": list(agent.tool_declarations),
                },
            )
    return found
