"""Reads ADK ``Invocation`` with either form of ``intermediate_data`` as ``Invocation``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from adjudge.adk import schema
from adjudge.adk.content import call_of, content_of, items_of, result_of
from adjudge.adk.validation import Findings
from adjudge.model.base import JsonObject
from adjudge.model.invocation import AgentDetails, AppDetails, Invocation, Rubric
from adjudge.model.items import ToolResult
from adjudge.model.step import Step, Usage

TOKENS: Final = {
    "prompt_token_count": "input_tokens",
    "candidates_token_count": "output_tokens",
    "total_token_count": "total_tokens",
    "cached_content_token_count": "cached_tokens",
    "thoughts_token_count": "reasoning_tokens",
    "tool_use_prompt_token_count": "tool_use_tokens",
}
"""Names of token counts: ADK's to the model's."""


def invocation_of(found: schema.Invocation, path: str, findings: Findings, first_step: int = 1) -> Invocation:
    """Convert an ADK ``Invocation`` to the model's; its steps are numbered from ``first_step``."""
    # Pass only the keys of the file, so that pydantic records which fields were set, and saving writes only those.
    given = found.given()
    given["user_content"] = content_of(found.user_content)
    if found.final_response is not None:
        given["final_response"] = content_of(found.final_response)
    if found.rubrics is not None:
        given["rubrics"] = rubrics_of(found.rubrics)
    if found.app_details is not None:
        given["app_details"] = app_details_of(found.app_details)
    if (data := given.pop("intermediate_data", None)) is not None:
        given |= _steps_of(data, f"{path}.intermediate_data", findings, first_step)
    return Invocation(**given, extra=found.model_extra or None)


def _steps_of(data: schema.IntermediateData, path: str, findings: Findings, number: int) -> JsonObject:
    """The fields of ``Invocation`` that hold the steps."""
    form = "intermediate_data"
    if data.invocation_events is not None:
        form = "invocation_events"
        steps = [
            step_of(event, f"{path}.invocation_events[{i}]", findings, number + i)
            for i, event in enumerate(data.invocation_events)
        ]
    else:
        moves = _calls_and_results(data, path)
        moves += [
            {
                "form": "intermediate_response",
                "author": author,
                "items": items_of(parts),
                "source_ref": f"{path}.intermediate_responses[{i}]",
            }
            for i, (author, parts) in enumerate(data.intermediate_responses or ())
        ]
        steps = [Step(number=number + i, **move) for i, move in enumerate(moves)]
    empty = tuple([name for name, value in data.given().items() if not value])
    return {"form": form, "steps": tuple(steps), **({"empty_lists": empty} if empty else {})}


def _calls_and_results(data: schema.IntermediateData, path: str) -> list[JsonObject]:
    moves: list[JsonObject] = [
        {"form": "tool_use", "items": [call_of(call)], "source_ref": f"{path}.tool_uses[{i}]"}
        for i, call in enumerate(data.tool_uses or ())
    ]
    results = [result_of(result) for result in data.tool_responses or ()]
    return _with_results(moves, results, path) if results else moves


def _with_results(moves: list[JsonObject], results: list[ToolResult], path: str) -> list[JsonObject]:
    """Add each result to the step of the call with the same unique id; the others become separate steps.

    A result is added to a call only if this keeps the order of the results in the file.
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


def step_of(found: schema.InvocationEvent, path: str, findings: Findings, number: int) -> Step:
    """Convert an ADK ``InvocationEvent`` to a step."""
    given: JsonObject = {}
    kept: JsonObject = {**(findings.further(found, path) or {})}
    if found.content is not None:
        content = content_of(found.content)
        given |= {"role": content.role, "items": content.items}
        if not content.items:  # a step has no other place for it
            kept["content"] = found.content.given()
    if found.usage_metadata is not None:
        counts = found.usage_metadata.given() | (found.usage_metadata.model_extra or {})
        ours = {name: counts.pop(theirs, None) for theirs, name in TOKENS.items()}
        given["usage"] = Usage(**ours, extra=counts or None)
    if found.grounding_metadata is not None:
        kept["grounding_metadata"] = found.grounding_metadata
    return Step(
        number=number,
        author=found.author,
        form="event",
        source_ref=path,
        model=found.model_version,
        extra=kept or None,
        **given,
    )


def rubrics_of(found: Sequence[schema.Rubric]) -> tuple[Rubric, ...]:
    """Convert ADK rubrics to the model's."""
    return tuple(
        [
            Rubric(
                rubric_id=rubric.rubric_id,
                text=rubric.rubric_content.text_property,
                description=rubric.description,
                type=rubric.type,
            )
            for rubric in found
        ]
    )


def app_details_of(found: schema.AppDetails) -> AppDetails:
    """Convert ADK ``AppDetails`` to the model's; tool declarations stay as they are in the file."""
    if found.agent_details is None:
        return AppDetails()
    return AppDetails(
        agent_details={name: AgentDetails(**agent.given()) for name, agent in found.agent_details.items()}
    )
