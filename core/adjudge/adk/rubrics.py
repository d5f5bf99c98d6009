"""ADK ``Rubric`` and ``AppDetails``: what a turn or a case carries beside the conversation."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.adk.schema import AGENT_DETAILS, APP_DETAILS, RUBRIC, RUBRIC_CONTENT
from adjudge.adk.validation import Findings
from adjudge.model.base import JsonObject
from adjudge.model.invocation import AgentDetails, AppDetails, Rubric


def read_rubrics(found: JsonObject, path: str, findings: Findings) -> tuple[Rubric, ...]:
    """The list under ``rubrics``."""
    rubrics = findings.items(found, "rubrics", path)
    return tuple([_read_rubric(rubric, f"{path}.rubrics[{i}]", findings) for i, rubric in enumerate(rubrics)])


def _read_rubric(data: object, path: str, findings: Findings) -> Rubric:
    found = findings.fields(data, RUBRIC, path)
    findings.required(found, RUBRIC, path, "rubric_id", "rubric_content")
    content = findings.fields(found.get("rubric_content", {}), RUBRIC_CONTENT, f"{path}.rubric_content")
    return Rubric(
        rubric_id=findings.string(found, "rubric_id", path, ""),
        text=findings.string(content, "text_property", f"{path}.rubric_content"),
        description=findings.string(found, "description", path),
        type=findings.string(found, "type", path),
    )


def write_rubrics(rubrics: Iterable[Rubric]) -> list[JsonObject]:
    """Rubrics as ADK writes them."""
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


def read_app_details(data: object, path: str, findings: Findings) -> AppDetails:
    """ADK ``AppDetails``; tool declarations are kept as they are."""
    found = findings.fields(data, APP_DETAILS, path)
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
    found = findings.fields(data, AGENT_DETAILS, path)
    findings.required(found, AGENT_DETAILS, path, "name")
    given: JsonObject = {}
    if "instructions" in found:
        given["instructions"] = findings.string(found, "instructions", path, "")
    if "tool_declarations" in found:
        given["tool_declarations"] = tuple(findings.items(found, "tool_declarations", path))
    return AgentDetails(name=findings.string(found, "name", path, ""), **given)


def write_app_details(details: AppDetails) -> JsonObject:
    """``AppDetails`` as ADK writes it."""
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
