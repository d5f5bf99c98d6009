"""Converts contents, invocations, eval cases and eval sets to ADK's JSON, in snake_case and without nulls."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from adjudge.adk import schema
from adjudge.adk.content import EMPTY_PART
from adjudge.adk.invocation import TOKENS
from adjudge.adk.validation import is_object
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import ConversationScenario, EvalCase, EvalSet, SessionInput
from adjudge.model.invocation import AgentDetails, AppDetails, Invocation, Rubric
from adjudge.model.items import Blob, Claim, Content, Item, Opaque, Text, ToolCall, ToolResult
from adjudge.model.step import Step, Usage

_CALL_FIELDS: Final = frozenset(schema.FunctionCall.model_fields)
_RESPONSE_FIELDS: Final = frozenset(schema.FunctionResponse.model_fields)
_BLOB_FIELDS: Final = frozenset((*schema.Blob.model_fields, *schema.FileData.model_fields))
_PART_FIELDS: Final = frozenset(schema.Part.model_fields)
_SECONDS: Final = ("duration", "model_duration", "tool_duration")


def content_to_adk(content: Content) -> JsonObject:
    """Convert a ``Content`` to ADK's JSON: snake_case, without nulls.

    An item without a class in ADK (an observation, an error) becomes a part that contains it in ``part_metadata``.
    """
    data: JsonObject = {}
    if content.has_parts or content.items:
        data["parts"] = [_write_part(item) for item in content.items]
    if content.role is not None:
        data["role"] = content.role
    return data


def _write_part(item: Item) -> JsonObject:
    """Convert an item to an ADK ``Part``."""
    match item:
        case Text():
            part: JsonObject = {"text": item.text}
        case Claim():
            part = {"text": item.text, "thought": True}
        case ToolCall():
            part = {"function_call": _write_call(item)}
        case ToolResult():
            part = {"function_response": _write_result(item)}
        case Blob():
            part = _write_blob(item)
        case Opaque(name=name) if name == EMPTY_PART:
            part = {}
        case Opaque() if item.name in _PART_FIELDS:
            part = {item.name: item.value}
        case _:
            return {"part_metadata": item.model_dump(exclude_none=True)}
    return {**part, **_of(item.extra, _PART_FIELDS)} if item.extra else part


def _write_blob(item: Blob) -> JsonObject:
    rest = {"mime_type": item.mime_type, **_of(item.extra, _BLOB_FIELDS)}
    if item.data is None:
        return {"file_data": _given({"file_uri": item.uri, **rest})}
    return {"inline_data": _given({"data": item.data, **rest})}


def _write_call(item: ToolCall) -> JsonObject:
    """Convert a call to an ADK ``FunctionCall``."""
    data: JsonObject = {"id": item.id, "args": item.args, "name": item.name}
    return _given({**data, **_of(item.extra, _CALL_FIELDS)})


def _write_result(item: ToolResult) -> JsonObject:
    """Convert a result to an ADK ``FunctionResponse``, whose ``response`` is always an object."""
    is_free = item.value is None or is_object(item.value)
    data: JsonObject = {
        "id": item.call_id,
        "name": item.name,
        "response": item.value if is_free else {"result": item.value},
    }
    return _given({**data, **_of(item.extra, _RESPONSE_FIELDS)})


def _given(data: JsonObject) -> JsonObject:
    return {key: value for key, value in data.items() if value is not None}


def _of(extra: JsonObject | None, names: frozenset[str]) -> JsonObject:
    return {key: value for key, value in extra.items() if key in names} if extra else {}


def invocation_to_adk(invocation: Invocation) -> JsonObject:
    """Convert an ``Invocation`` to ADK's JSON: snake_case, without nulls.

    Steps that are not from ADK are written as ``IntermediateData``: calls, results, and the texts of steps as
    intermediate responses.
    """
    given = invocation.model_fields_set
    data: JsonObject = {}
    if invocation.invocation_id or "invocation_id" in given:
        data["invocation_id"] = invocation.invocation_id
    data["user_content"] = content_to_adk(invocation.user_content)
    if invocation.final_response is not None:
        data["final_response"] = content_to_adk(invocation.final_response)
    if invocation.form == "invocation_events":
        events = [_write_event(step) for step in invocation.own_steps]
        data["intermediate_data"] = _lists(invocation, {"invocation_events": events})
    elif invocation.form or invocation.steps:
        data["intermediate_data"] = _lists(invocation, _write_intermediate(invocation))
    if invocation.creation_timestamp or "creation_timestamp" in given:
        data["creation_timestamp"] = invocation.creation_timestamp
    for name in _SECONDS:
        if (seconds := getattr(invocation, name)) is not None:
            data[name] = seconds
    if invocation.rubrics is not None:
        data["rubrics"] = _write_rubrics(invocation.rubrics)
    if invocation.app_details is not None:
        data["app_details"] = _write_app_details(invocation.app_details)
    return data


def _lists(invocation: Invocation, lists: dict[str, list[Any]]) -> JsonObject:
    return {name: values for name, values in lists.items() if values or name in invocation.empty_lists}


def _write_intermediate(invocation: Invocation) -> dict[str, list[Any]]:
    calls: list[Any] = []
    results: list[Any] = []
    responses: list[Any] = []
    for step in invocation.own_steps:
        said = step.items
        if step.form != "intermediate_response":
            calls += [_write_call(call) for call in step.calls]
            results += [_write_result(result) for result in step.results]
            said = tuple([item for item in said if not isinstance(item, (ToolCall, ToolResult))])
        if said or step.form == "intermediate_response":
            responses.append([step.author or "", [_write_part(item) for item in said]])
    return {"tool_uses": calls, "tool_responses": results, "intermediate_responses": responses}


def _write_event(step: Step) -> JsonObject:
    extra = dict(step.extra or {})
    event: JsonObject = {"author": step.author or ""}
    content = extra.pop("content", None)
    if step.items or content is not None:
        event["content"] = (
            content_to_adk(Content(role=step.role, items=step.items)) if step.items else content
        )
    if step.usage is not None:
        event["usage_metadata"] = _write_usage(step.usage)
    if step.model is not None:
        event["model_version"] = step.model
    return {**event, **extra}


def _write_usage(usage: Usage) -> JsonObject:
    counts = {theirs: getattr(usage, ours) for theirs, ours in TOKENS.items()}
    known = {
        key: value
        for key, value in (usage.extra or {}).items()
        if key in schema.GenerateContentResponseUsageMetadata.model_fields
    }
    return {**{key: count for key, count in counts.items() if count is not None}, **known}


def _write_rubrics(rubrics: Iterable[Rubric]) -> list[JsonObject]:
    """Convert rubrics to ADK's JSON."""
    return [_write_rubric(rubric) for rubric in rubrics]


def _write_rubric(rubric: Rubric) -> JsonObject:
    data: JsonObject = {
        "rubric_id": rubric.rubric_id,
        "rubric_content": {} if rubric.text is None else {"text_property": rubric.text},
    }
    if rubric.description is not None:
        data["description"] = rubric.description
    if rubric.type is not None:
        data["type"] = rubric.type
    return data


def _write_app_details(details: AppDetails) -> JsonObject:
    """Convert ``AppDetails`` to ADK's JSON."""
    if not details.agent_details and "agent_details" not in details.model_fields_set:
        return {}
    return {"agent_details": {name: _write_agent(agent) for name, agent in details.agent_details.items()}}


def _write_agent(agent: AgentDetails) -> JsonObject:
    given = agent.model_fields_set
    data: JsonObject = {"name": agent.name}
    if agent.instructions or "instructions" in given:
        data["instructions"] = agent.instructions
    if agent.tool_declarations or "tool_declarations" in given:
        data["tool_declarations"] = list(agent.tool_declarations)
    return data


def case_to_adk(case: EvalCase) -> JsonObject:
    """Convert an ``EvalCase`` to ADK's JSON: snake_case, without nulls."""
    given = case.model_fields_set
    data: JsonObject = {"eval_id": case.eval_id}
    if case.conversation is not None:
        data["conversation"] = [invocation_to_adk(turn) for turn in case.conversation]
    if case.conversation_scenario is not None:
        data["conversation_scenario"] = _write_scenario(case.conversation_scenario)
    if case.session_input is not None:
        data["session_input"] = _write_session_input(case.session_input)
    if case.creation_timestamp or "creation_timestamp" in given:
        data["creation_timestamp"] = case.creation_timestamp
    if case.rubrics is not None:
        data["rubrics"] = _write_rubrics(case.rubrics)
    if case.final_session_state is not None or "final_session_state" in given:
        data["final_session_state"] = case.final_session_state or {}
    return {**data, **(case.extra or {})}


def _write_scenario(scenario: ConversationScenario) -> JsonObject:
    data: JsonObject = {
        "starting_prompt": scenario.starting_prompt,
        "conversation_plan": scenario.conversation_plan,
    }
    if scenario.user_persona is not None:
        data["user_persona"] = scenario.user_persona
    return data


def _write_session_input(session: SessionInput) -> JsonObject:
    data: JsonObject = {"app_name": session.app_name, "user_id": session.user_id}
    if session.session_id is not None:
        data["session_id"] = session.session_id
    if session.state or "state" in session.model_fields_set:
        data["state"] = session.state
    return {**data, **(session.extra or {})}


def _eval_set_to_adk(eval_set: EvalSet) -> JsonObject:
    """Convert an ``EvalSet`` to ADK's JSON: snake_case, without nulls."""
    data: JsonObject = {"eval_set_id": eval_set.eval_set_id}
    if eval_set.name is not None:
        data["name"] = eval_set.name
    if eval_set.description is not None:
        data["description"] = eval_set.description
    data["eval_cases"] = [case_to_adk(case) for case in eval_set.eval_cases]
    if eval_set.creation_timestamp or "creation_timestamp" in eval_set.model_fields_set:
        data["creation_timestamp"] = eval_set.creation_timestamp
    return {**data, **(eval_set.extra or {})}


def dump_eval_set(eval_set: EvalSet) -> str:
    """Convert an eval set to the text of an ``*.evalset.json`` file, without losing loaded data."""
    return json.dumps(_eval_set_to_adk(eval_set), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
