"""ADK ``EvalCase`` and what it consists of; and the form in which an eval set made in Python is kept."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import to_json

from adjudge.adk.invocation import read_invocation, read_rubrics
from adjudge.adk.schema import EVAL_CASE, SCENARIO, SESSION_INPUT
from adjudge.adk.validation import Findings, is_object, kind
from adjudge.model.base import JsonObject, told
from adjudge.model.eval_set import ConversationScenario, EvalCase, EvalSet, SessionInput
from adjudge.model.invocation import Invocation

KEPT: Final = "adjudge_eval_set"
"""The key that tells an eval set in the form of the model from ADK's; it stands before the cases."""

NO_TURNS: Final = "a conversation without turns: nothing can be measured"


def read_case(data: object, path: str, findings: Findings) -> EvalCase:
    """ADK ``EvalCase``; problems go to ``findings``."""
    found, extra = findings.open_fields(data, EVAL_CASE, path)
    eval_id = findings.string(found, "eval_id", path, "")
    findings.required(found, EVAL_CASE, path, "eval_id")
    findings.case = eval_id or None
    given: JsonObject = {}
    has_conversation, has_scenario = "conversation" in found, "conversation_scenario" in found
    _check_kind(has_conversation, has_scenario, path, findings)
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


def _check_kind(has_conversation: bool, has_scenario: bool, path: str, findings: Findings) -> None:
    if has_conversation == has_scenario:
        findings.problem(
            f"the case has {'both' if has_conversation else 'neither'} of 'conversation' and"
            " 'conversation_scenario'.",
            path,
            hint="It must have exactly one of them.",
        )


def _read_conversation(turns: list[Any], path: str, findings: Findings) -> tuple[Invocation, ...]:
    if not turns:
        findings.warn(NO_TURNS, path)
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


def kept_eval_set(eval_set: EvalSet) -> bytes:
    """An eval set made in Python as a file of JSON, in the form of the model; ``read_kept_case`` reads its cases."""
    fields = eval_set.model_dump(exclude={"extra"}, exclude_none=True)
    return to_json({**(eval_set.extra or {}), KEPT: 1, **fields}, inf_nan_mode="constants")


def read_kept_case(data: object, path: str, findings: Findings) -> EvalCase:
    """A case in the form of the model; problems go to ``findings``."""
    try:
        case = EvalCase.model_validate(data)
    except ValidationError as error:
        findings.problem(told(error), path)
        return EvalCase(eval_id="")
    findings.case = case.eval_id
    _check_kind(case.conversation is not None, case.conversation_scenario is not None, path, findings)
    if case.conversation == ():
        findings.warn(NO_TURNS, f"{path}.conversation")
    findings.case = None
    return case
