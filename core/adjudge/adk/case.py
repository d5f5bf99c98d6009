"""ADK ``EvalCase`` and what it consists of, as ``EvalCase``, and back; ``EvalSet`` as ADK writes it."""

from __future__ import annotations

import json
from typing import Any

from adjudge.adk.invocation import invocation_to_adk, read_invocation, read_rubrics, write_rubrics
from adjudge.adk.schema import EVAL_CASE, SCENARIO, SESSION_INPUT
from adjudge.adk.validation import Findings, is_object, kind
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import ConversationScenario, EvalCase, EvalSet, SessionInput
from adjudge.model.invocation import Invocation


def read_case(data: object, path: str, findings: Findings) -> EvalCase:
    """ADK ``EvalCase``; problems go to ``findings``."""
    found, extra = findings.open_fields(data, EVAL_CASE, path)
    eval_id = findings.string(found, "eval_id", path, "")
    findings.required(found, EVAL_CASE, path, "eval_id")
    findings.case = eval_id or None
    given: JsonObject = {}
    has_conversation, has_scenario = "conversation" in found, "conversation_scenario" in found
    if has_conversation == has_scenario:
        findings.problem(
            f"the case has {'both' if has_conversation else 'neither'} of 'conversation' and"
            " 'conversation_scenario'.",
            path,
            hint="It must have exactly one of them.",
        )
    if has_conversation:
        turns = findings.items(found, "conversation", path)
        given["conversation"] = _read_conversation(turns, f"{path}.conversation", findings)
    if has_scenario:
        given["conversation_scenario"] = _read_scenario(
            found["conversation_scenario"], f"{path}.conversation_scenario", findings
        )
    if "session_input" in found:
        given["session_input"] = read_session_input(found["session_input"], f"{path}.session_input", findings)
    if "creation_timestamp" in found:
        given["creation_timestamp"] = findings.number(found, "creation_timestamp", path, 0.0)
    if "rubrics" in found:
        given["rubrics"] = read_rubrics(found, path, findings)
    if "final_session_state" in found:
        # ADK's default is {}, so an empty state expects nothing. Saving writes it again because it was given.
        given["final_session_state"] = findings.object(found, "final_session_state", path) or None
    case = EvalCase(eval_id=eval_id, extra=extra, **given)
    findings.case = None
    return case


def _read_conversation(turns: list[Any], path: str, findings: Findings) -> tuple[Invocation, ...]:
    if not turns:
        findings.warn("a conversation without turns: nothing can be measured", path)
    conversation: list[Invocation] = []
    number = 1
    for i, turn in enumerate(turns):
        invocation = read_invocation(turn, f"{path}[{i}]", findings, number)
        number += len(invocation.steps)
        conversation.append(invocation)
    return tuple(conversation)


def _read_scenario(data: object, path: str, findings: Findings) -> ConversationScenario:
    found = findings.fields(data, SCENARIO, path)
    findings.required(found, SCENARIO, path, "starting_prompt", "conversation_plan")
    persona = found.get("user_persona")
    if persona is not None and not isinstance(persona, str) and not is_object(persona):
        findings.problem(f"'user_persona' must be an id or an object, found {kind(persona)}.", path)
        persona = None
    return ConversationScenario(
        starting_prompt=findings.string(found, "starting_prompt", path, ""),
        conversation_plan=findings.string(found, "conversation_plan", path, ""),
        user_persona=persona,
    )


def read_session_input(data: object, path: str, findings: Findings) -> SessionInput:
    """ADK ``SessionInput``; problems go to ``findings``."""
    found, extra = findings.open_fields(data, SESSION_INPUT, path)
    findings.required(found, SESSION_INPUT, path, "app_name", "user_id")
    given: JsonObject = {}
    if "state" in found:
        given["state"] = findings.object(found, "state", path) or {}
    return SessionInput(
        app_name=findings.string(found, "app_name", path, ""),
        user_id=findings.string(found, "user_id", path, ""),
        session_id=findings.string(found, "session_id", path),
        extra=extra,
        **given,
    )


def case_to_adk(case: EvalCase) -> JsonObject:
    """``EvalCase`` as ADK writes it: snake_case, without nulls."""
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
        data["rubrics"] = write_rubrics(case.rubrics)
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


def eval_set_to_adk(eval_set: EvalSet) -> JsonObject:
    """``EvalSet`` as ADK writes it: snake_case, without nulls."""
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
    """The text of an ``*.evalset.json`` file: nothing that was loaded is lost."""
    return json.dumps(eval_set_to_adk(eval_set), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
