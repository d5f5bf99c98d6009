"""Reads ADK ``EvalCase``; and stores eval sets that were made in Python."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError
from pydantic_core import to_json

from adjudge.adk import schema
from adjudge.adk.invocation import invocation_of, rubrics_of
from adjudge.adk.personas import read_persona
from adjudge.adk.validation import Findings, is_object
from adjudge.model.base import JsonObject, told
from adjudge.model.eval_set import ConversationScenario, EvalCase, EvalSet, SessionInput
from adjudge.model.invocation import Invocation

KEPT: Final = "adjudge_eval_set"
"""The key that marks a file in the format of ``EvalSet.model_dump``, not ADK's schema. It is before the cases."""

NO_TURNS: Final = "a conversation without turns: nothing can be measured"


def read_case(data: object, path: str, findings: Findings) -> EvalCase:
    """Read an ADK ``EvalCase``. Problems are added to ``findings``; a case with problems has only its id."""
    given: JsonObject = data if is_object(data) else {}
    eval_id = given.get("eval_id", given.get("evalId"))
    findings.case = eval_id if isinstance(eval_id, str) and eval_id else None
    found = findings.read(schema.EvalCase, data, path)
    if is_object(data):
        _check_kind(
            given.get("conversation") is not None,
            given.get("conversation_scenario", given.get("conversationScenario")) is not None,
            path,
            findings,
        )
    case = EvalCase(eval_id=findings.case or "") if found is None else _case(found, path, findings)
    findings.case = None
    return case


def _case(found: schema.EvalCase, path: str, findings: Findings) -> EvalCase:
    given = found.given()
    extra = findings.further(found, path)
    if found.conversation is not None:
        given["conversation"] = _conversation(found.conversation, f"{path}.conversation", findings)
    if found.conversation_scenario is not None:
        scenario = ConversationScenario(**found.conversation_scenario.given())
        read_persona(scenario.user_persona, f"{path}.conversation_scenario.user_persona", findings)
        given["conversation_scenario"] = scenario
    if found.session_input is not None:
        further = findings.further(found.session_input, f"{path}.session_input")
        given["session_input"] = SessionInput(**found.session_input.given(), extra=further)
    if found.rubrics is not None:
        given["rubrics"] = rubrics_of(found.rubrics)
    if found.final_session_state is not None:
        # ADK's default is {}, so an empty state expects nothing. Saving writes it again because it was given.
        given["final_session_state"] = found.final_session_state or None
    return EvalCase(**given, extra=extra)


def _check_kind(has_conversation: bool, has_scenario: bool, path: str, findings: Findings) -> None:
    if has_conversation == has_scenario:
        findings.problem(
            f"the case has {'both' if has_conversation else 'neither'} of 'conversation' and"
            " 'conversation_scenario'.",
            path,
            hint="It must have exactly one of them.",
        )


def _conversation(turns: list[schema.Invocation], path: str, findings: Findings) -> tuple[Invocation, ...]:
    if not turns:
        findings.warn(NO_TURNS, path)
    conversation: list[Invocation] = []
    number = 1
    for i, turn in enumerate(turns):
        invocation = invocation_of(turn, f"{path}[{i}]", findings, number)
        number += len(invocation.steps)
        conversation.append(invocation)
    return tuple(conversation)


def kept_eval_set(eval_set: EvalSet) -> bytes:
    """Convert an eval set made in Python to JSON in the format of the model; ``read_kept_case`` reads its cases."""
    fields = eval_set.model_dump(exclude={"extra"}, exclude_none=True)
    return to_json({**(eval_set.extra or {}), KEPT: 1, **fields}, inf_nan_mode="constants")


def read_kept_case(data: object, path: str, findings: Findings) -> EvalCase:
    """Read a case stored by ``kept_eval_set``. Problems are added to ``findings``."""
    try:
        case = EvalCase.model_validate(data)
    except ValidationError as error:
        findings.problem(told(error), path)
        return EvalCase(eval_id="")
    findings.case = case.eval_id
    _check_kind(case.conversation is not None, case.conversation_scenario is not None, path, findings)
    if (scenario := case.conversation_scenario) is not None:
        read_persona(scenario.user_persona, f"{path}.conversation_scenario.user_persona", findings)
    if case.conversation == ():
        findings.warn(NO_TURNS, f"{path}.conversation")
    findings.case = None
    return case
