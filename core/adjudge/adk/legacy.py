"""The two formats of eval files before ADK's schema: a list of turns, and a list of named cases.

Reading is deterministic: ids are made from the file's name and never random, so that results of two readings can be
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adjudge.adk import schema
from adjudge.adk.case import NO_TURNS
from adjudge.adk.validation import Findings, is_object
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase, SessionInput
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content, Text, ToolCall
from adjudge.model.step import Step

_SUFFIXES = (".evalset.json", ".test.json", ".json")


def id_from_name(path: Path) -> str:
    """The id of a set or a case without an id, from the file's name: ``weather`` for ``weather.test.json``."""
    for suffix in _SUFFIXES:
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix)
    return path.stem


def read_old_case(data: object, path: str, findings: Findings) -> EvalCase:
    """Read a named case of the second format. Problems are added to ``findings``."""
    name = data.get("name") if is_object(data) else None
    findings.case = name if isinstance(name, str) and name else None
    found = findings.read(schema.OldCase, data, path)
    case = EvalCase(eval_id=findings.case or "")
    if found is not None:
        case = _case(found.name, found.data, f"{path}.data", findings)
        update: JsonObject = {"extra": findings.further(found, path)}
        if found.initial_session is not None and (
            found.initial_session.given() or found.initial_session.model_extra
        ):
            place = f"{path}.initial_session"
            update["session_input"] = session_of(found.initial_session, place, findings)
        case = case.model_copy(update=update)
    findings.case = None
    return case


def read_old_turns(eval_id: str, turns: Sequence[Any], path: str, findings: Findings) -> EvalCase:
    """Read the turns of the first format, which has one case. Problems are added to ``findings``."""
    read = [findings.read(schema.OldTurn, turn, f"{path}[{i}]") for i, turn in enumerate(turns)]
    found = [turn for turn in read if turn is not None]
    return EvalCase(eval_id=eval_id) if len(found) < len(read) else _case(eval_id, found, path, findings)


def _case(eval_id: str, turns: Sequence[schema.OldTurn], path: str, findings: Findings) -> EvalCase:
    if not turns:
        findings.warn(NO_TURNS, path)
    conversation: list[Invocation] = []
    number = 1
    for i, turn in enumerate(turns):
        invocation = _invocation(turn, f"{path}[{i}]", findings, number)
        number += len(invocation.steps)
        conversation.append(invocation)
    return EvalCase(eval_id=eval_id, conversation=tuple(conversation))


def _invocation(found: schema.OldTurn, path: str, findings: Findings, number: int) -> Invocation:
    moves = [
        _call(use, f"{path}.expected_tool_use[{i}]", findings)
        for i, use in enumerate(found.expected_tool_use or ())
    ]
    moves += [
        _response(response, f"{path}.expected_intermediate_agent_responses[{i}]", findings)
        for i, response in enumerate(found.expected_intermediate_agent_responses or ())
    ]
    return Invocation(
        user_content=Content.of_text(found.query, "user"),
        steps=tuple([Step(number=number + i, **move) for i, move in enumerate(moves)]),
        final_response=None if found.reference is None else Content.of_text(found.reference, "model"),
        form="intermediate_data",
        extra=findings.further(found, path),
    )


def _call(found: schema.OldToolUse, path: str, findings: Findings) -> JsonObject:
    name, args = next(iter(found.arguments.items()), ("", None))
    if name in schema.FOREIGN_ARGUMENTS:
        findings.warn(f"{name!r} in {found.title()} is read as 'tool_input'", path)
    call = ToolCall(name=found.tool_name, args=args, extra=findings.further(found, path))
    return {"form": "tool_use", "items": (call,), "source_ref": path}


def _response(found: schema.OldResponse, path: str, findings: Findings) -> JsonObject:
    return {
        "form": "intermediate_response",
        "author": found.author,
        "items": (Text(text=found.text),),
        "source_ref": path,
        "extra": findings.further(found, path),
    }


def session_of(found: schema.OldSession, path: str, findings: Findings) -> SessionInput:
    """Convert the initial session of an older format."""
    return SessionInput(
        app_name=found.app_name or "",
        user_id=found.user_id or "",
        state=found.state or {},
        extra=findings.further(found, path),
    )
