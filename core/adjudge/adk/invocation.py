"""ADK ``Invocation`` with either form of ``intermediate_data`` as ``Invocation``, and back."""

from __future__ import annotations

from collections import Counter
from typing import Final

from adjudge.adk import schema
from adjudge.adk.content import (
    read_call,
    read_content,
    read_part,
    read_result,
)
from adjudge.adk.validation import Findings, is_list, is_object, kind
from adjudge.model.base import JsonObject
from adjudge.model.invocation import AgentDetails, AppDetails, Invocation, Rubric
from adjudge.model.items import Content, ToolResult
from adjudge.model.step import Step, Usage

TOKENS: Final = {
    "prompt_token_count": "input_tokens",
    "candidates_token_count": "output_tokens",
    "total_token_count": "total_tokens",
    "cached_content_token_count": "cached_tokens",
    "thoughts_token_count": "reasoning_tokens",
    "tool_use_prompt_token_count": "tool_use_tokens",
}
"""ADK's name of a count of tokens, to ours."""

SECONDS: Final = ("duration", "model_duration", "tool_duration")
"""What a turn says of time, under the same names here and there."""


def read_invocation(data: object, path: str, findings: Findings, first_step: int = 1) -> Invocation:
    """ADK ``Invocation``; its steps are numbered from ``first_step``, problems go to ``findings``."""
    found = findings.fields(data, schema.INVOCATION, path)
    # Only what the file gave is passed on: pydantic then knows which defaults were written out.
    given: JsonObject = {}
    if "invocation_id" in found:
        given["invocation_id"] = findings.string(found, "invocation_id", path, "")
    if "creation_timestamp" in found:
        given["creation_timestamp"] = findings.number(found, "creation_timestamp", path, 0.0)
    for name in SECONDS:
        if name in found:
            given[name] = findings.number(found, name, path)
    if "user_content" in found:
        user_content = read_content(found["user_content"], f"{path}.user_content", findings)
    else:
        findings.required(found, schema.INVOCATION, path, "user_content")
        user_content = Content()
    if "final_response" in found:
        given["final_response"] = read_content(found["final_response"], f"{path}.final_response", findings)
    if "intermediate_data" in found:
        given |= _read_steps(found["intermediate_data"], f"{path}.intermediate_data", findings, first_step)
    if "rubrics" in found:
        given["rubrics"] = read_rubrics(found, path, findings)
    if "app_details" in found:
        given["app_details"] = read_app_details(found["app_details"], f"{path}.app_details", findings)
    if further := {key: value for key, value in found.items() if key not in schema.INVOCATION.fields}:
        given["extra"] = further
    return Invocation(user_content=user_content, **given)


def _read_steps(data: object, path: str, findings: Findings, number: int) -> JsonObject:
    """The fields of ``Invocation`` that hold the steps."""
    keys = set(data) if is_object(data) else set[str]()
    if keys & set(schema.INVOCATION_EVENTS.keys):
        if keys & set(schema.INTERMEDIATE_DATA.keys):
            findings.problem("'invocation_events' and the keys of IntermediateData exclude each other.", path)
            return {}
        found = findings.fields(data, schema.INVOCATION_EVENTS, path)
        events = findings.items(found, "invocation_events", path)
        steps = [
            read_event(event, f"{path}.invocation_events[{i}]", findings, number + i)
            for i, event in enumerate(events)
        ]
        form = "invocation_events"
    else:
        found = findings.fields(data, schema.INTERMEDIATE_DATA, path)
        steps = _read_intermediate(found, path, findings, number)
        form = "intermediate_data"
    empty = tuple([name for name, value in found.items() if not value])
    return {"form": form, "steps": tuple(steps), **({"empty_lists": empty} if empty else {})}


def _read_intermediate(found: JsonObject, path: str, findings: Findings, number: int) -> list[Step]:
    moves: list[JsonObject] = [
        {
            "form": "tool_use",
            "items": [read_call(call, f"{path}.tool_uses[{i}]", findings)],
            "source_ref": f"{path}.tool_uses[{i}]",
        }
        for i, call in enumerate(findings.items(found, "tool_uses", path))
    ]
    results = [
        read_result(result, f"{path}.tool_responses[{i}]", findings)
        for i, result in enumerate(findings.items(found, "tool_responses", path))
    ]
    if results:
        moves = _with_results(moves, results, path)
    moves += [
        _read_response(response, f"{path}.intermediate_responses[{i}]", findings)
        for i, response in enumerate(findings.items(found, "intermediate_responses", path))
    ]
    return [Step(number=number + i, **move) for i, move in enumerate(moves)]


def _with_results(moves: list[JsonObject], results: list[ToolResult], path: str) -> list[JsonObject]:
    """The calls with their results: beside a call of the same unique id, else as moves of their own.

    A result joins its call only where reading the moves in order still gives the results in the
    order of the file.
    """
    ids = [move["items"][0].id for move in moves]
    times = Counter(ids)
    place = {call_id: i for i, call_id in enumerate(ids) if call_id is not None and times[call_id] == 1}
    alone: dict[int, list[JsonObject]] = {}
    last = -1  # the last call that has a result
    first_open = 0  # the first call that a result may join without overtaking an earlier one
    for i, result in enumerate(results):
        at = place.get(result.call_id, -1)
        if at >= first_open:
            moves[at]["items"].append(result)
            last = first_open = at
        else:
            source = f"{path}.tool_responses[{i}]"
            alone.setdefault(last, []).append(
                {"form": "tool_response", "items": [result], "source_ref": source}
            )
            first_open = last + 1
    ordered: list[JsonObject] = alone.get(-1, [])
    for i, move in enumerate(moves):
        ordered += [move, *alone.get(i, ())]
    return ordered


def _read_response(data: object, path: str, findings: Findings) -> JsonObject:
    move: JsonObject = {"form": "intermediate_response", "source_ref": path}
    author, parts = data if is_list(data) and len(data) == 2 else (None, None)
    if not isinstance(author, str) or not is_list(parts):
        found = "another list" if is_list(data) else kind(data)
        findings.problem(f"an intermediate response must be [author, [part, ...]], found {found}.", path)
        return move
    items = [read_part(part, f"{path}[1][{i}]", findings) for i, part in enumerate(parts)]
    return {**move, "author": author, "items": items}


def read_event(data: object, path: str, findings: Findings, number: int) -> Step:
    """ADK ``InvocationEvent`` as a step."""
    found, extra = findings.open_fields(data, schema.INVOCATION_EVENT, path)
    findings.required(found, schema.INVOCATION_EVENT, path, "author")
    given: JsonObject = {}
    kept: JsonObject = extra or {}
    if "content" in found:
        content = read_content(found["content"], f"{path}.content", findings)
        given["role"] = content.role
        given["items"] = content.items
        if not content.items:  # a step has no other place for it
            given_parts: JsonObject = {"parts": []} if content.has_parts else {}
            kept["content"] = given_parts | ({} if content.role is None else {"role": content.role})
    if "usage_metadata" in found:
        given["usage"] = _read_usage(found["usage_metadata"], f"{path}.usage_metadata", findings)
    if "model_version" in found:
        given["model"] = findings.string(found, "model_version", path)
    if "grounding_metadata" in found:
        kept["grounding_metadata"] = findings.object(found, "grounding_metadata", path)
    return Step(
        number=number,
        author=findings.string(found, "author", path),
        form="event",
        source_ref=path,
        extra=kept or None,
        **given,
    )


def _read_usage(data: object, path: str, findings: Findings) -> Usage:
    found = findings.fields(data, schema.USAGE, path)
    counts: dict[str, int] = {}
    for theirs, ours in TOKENS.items():
        count = found.pop(theirs, None)
        if isinstance(count, int) and not isinstance(count, bool):
            counts[ours] = count
        elif count is not None:
            findings.problem(f"{theirs!r} must be a whole number, found {kind(count)}.", path)
    return Usage(**counts, extra=found or None)


def read_rubrics(found: JsonObject, path: str, findings: Findings) -> tuple[Rubric, ...]:
    """The list under ``rubrics``."""
    rubrics = findings.items(found, "rubrics", path)
    return tuple([_read_rubric(rubric, f"{path}.rubrics[{i}]", findings) for i, rubric in enumerate(rubrics)])


def _read_rubric(data: object, path: str, findings: Findings) -> Rubric:
    found = findings.fields(data, schema.RUBRIC, path)
    findings.required(found, schema.RUBRIC, path, "rubric_id", "rubric_content")
    content = findings.fields(
        found.get("rubric_content", {}), schema.RUBRIC_CONTENT, f"{path}.rubric_content"
    )
    return Rubric(
        rubric_id=findings.string(found, "rubric_id", path, ""),
        text=findings.string(content, "text_property", f"{path}.rubric_content"),
        description=findings.string(found, "description", path),
        type=findings.string(found, "type", path),
    )


def read_app_details(data: object, path: str, findings: Findings) -> AppDetails:
    """ADK ``AppDetails``; tool declarations are kept as they are."""
    found = findings.fields(data, schema.APP_DETAILS, path)
    if "agent_details" not in found:
        return AppDetails()
    agents = findings.object(found, "agent_details", path) or {}
    return AppDetails(
        agent_details={
            name: _read_agent(agent, f"{path}.agent_details.{name}", findings)
            for name, agent in agents.items()
        }
    )


def _read_agent(data: object, path: str, findings: Findings) -> AgentDetails:
    found = findings.fields(data, schema.AGENT_DETAILS, path)
    findings.required(found, schema.AGENT_DETAILS, path, "name")
    given: JsonObject = {}
    if "instructions" in found:
        given["instructions"] = findings.string(found, "instructions", path, "")
    if "tool_declarations" in found:
        given["tool_declarations"] = tuple(findings.items(found, "tool_declarations", path))
    return AgentDetails(name=findings.string(found, "name", path, ""), **given)
