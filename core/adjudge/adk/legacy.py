"""The two shapes of eval files from before ADK had a schema: a list of turns, and a list of named cases.

Reading is deterministic: ids come from the file's name, never from a random number, so that two
readings of one file compare.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from adjudge.adk.case import NO_TURNS
from adjudge.adk.json_input import read_json
from adjudge.adk.schema import OLD_CASE, OLD_RESPONSE, OLD_SESSION, OLD_TOOL_USE, OLD_TURN
from adjudge.adk.validation import Findings, is_object, listed
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase, SessionInput
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content, Text, ToolCall
from adjudge.model.step import Step

_SUFFIXES = (".evalset.json", ".test.json", ".json")

_ARGUMENTS: Final = ("tool_parameters", "tool_args")
"""What files in the wild call ``tool_input``. ADK refuses them."""

# fmt: off
_OF_TOOLS: Final = frozenset({
    "tool", "tools", "tooluse", "toolcall", "toolcalls", "call", "calls", "function", "functions", "trajectory",
})
"""Words in keys of a turn that say which calls are expected."""
_OF_ANSWERS: Final = frozenset({
    "expected", "expect", "expects", "reference", "references", "response", "responses", "answer", "answers", "output",
    "golden",
})
# fmt: on
"""Words in keys of a turn that say which answer is expected, or that anything is."""


def id_from_name(path: Path) -> str:
    """``weather.test.json`` as ``weather``: the id of a set, and of a case, that has no id of its own."""
    for suffix in _SUFFIXES:
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix)
    return path.stem


def read_old_case(data: object, path: str, findings: Findings) -> EvalCase:
    """One named case of the second shape; problems go to ``findings``."""
    found, extra = findings.open_fields(data, OLD_CASE, path)
    name = findings.string(found, "name", path, "")
    findings.required(found, OLD_CASE, path, "name", "data")
    findings.case = name or None
    case = read_old_turns(name, findings.items(found, "data", path), f"{path}.data", findings)
    update: JsonObject = {"extra": extra}
    if found.get("initial_session"):
        update["session_input"] = read_old_session(
            found["initial_session"], f"{path}.initial_session", findings
        )
    findings.case = None
    return case.model_copy(update=update)


def read_old_turns(eval_id: str, turns: list[Any], path: str, findings: Findings) -> EvalCase:
    """The turns of one case, in either shape; problems go to ``findings``."""
    if not turns:
        findings.warn(NO_TURNS, path)
    conversation: list[Invocation] = []
    number = 1
    for i, turn in enumerate(turns):
        invocation = _read_turn(turn, f"{path}[{i}]", findings, number)
        number += len(invocation.steps)
        conversation.append(invocation)
    return EvalCase(eval_id=eval_id, conversation=tuple(conversation))


def _read_turn(data: object, path: str, findings: Findings, number: int) -> Invocation:
    found, extra = findings.open_fields(data, OLD_TURN, path)
    for key in extra or ():
        if (meant := _meant(key)) is not None:
            findings.problem(
                f"{key!r} is no key of a {OLD_TURN.name}: what it expects would not be compared.",
                path,
                hint=f"Name it {meant!r}, in that key's form.",
            )
    findings.required(found, OLD_TURN, path, "query")
    query = findings.string(found, "query", path, "")
    reference = findings.string(found, "reference", path)
    moves: list[JsonObject] = [
        _read_tool_use(use, f"{path}.expected_tool_use[{i}]", findings)
        for i, use in enumerate(findings.items(found, "expected_tool_use", path))
    ]
    moves += [
        _read_response(response, f"{path}.expected_intermediate_agent_responses[{i}]", findings)
        for i, response in enumerate(findings.items(found, "expected_intermediate_agent_responses", path))
    ]
    return Invocation(
        user_content=Content.of_text(query, "user"),
        steps=tuple([Step(number=number + i, **move) for i, move in enumerate(moves)]),
        final_response=None if reference is None else Content.of_text(reference, "model"),
        form="intermediate_data",
        extra=extra,
    )


def _meant(key: str) -> str | None:
    """The key of the old shape that one of another name stands for; ``None`` where it says of no expectation."""
    words = set(re.sub(r"([a-z])([A-Z])", r"\1_\2", key).lower().split("_"))
    if "mock" in words:  # what a tool was to give back, and no expectation
        return None
    if words & _OF_TOOLS:
        return "expected_tool_use"
    return "reference" if words & _OF_ANSWERS else None


def _read_tool_use(data: object, path: str, findings: Findings) -> JsonObject:
    found, extra = findings.open_fields(_with_input(data, path, findings), OLD_TOOL_USE, path)
    findings.required(found, OLD_TOOL_USE, path, "tool_name")
    call = ToolCall(
        name=findings.string(found, "tool_name", path, ""),
        args=findings.object(found, "tool_input", path),
        extra=extra,
    )
    return {"form": "tool_use", "items": (call,), "source_ref": path}


def _with_input(data: object, path: str, findings: Findings) -> object:
    """The call with its arguments under ``tool_input``.

    A call that says nothing of its arguments is a problem: it would expect a call without arguments, and
    fail the agent that makes the right one.
    """
    if not is_object(data):
        return data
    names = [key for key in data if key in _ARGUMENTS or OLD_TOOL_USE.keys.get(key) == "tool_input"]
    given = [name for name in names if data[name] is not None]
    if len(given) > 1:
        findings.problem(
            f"the arguments are given more than once: {listed(given)}.",
            path,
            hint="Keep them under 'tool_input' alone.",
        )
    elif given and given[0] in _ARGUMENTS:
        findings.warn(f"{given[0]!r} in {OLD_TOOL_USE.name} is read as 'tool_input'", path)
        rest = {key: value for key, value in data.items() if key not in names}
        return {**rest, "tool_input": data[given[0]]}
    elif not names:
        findings.problem(
            f"{OLD_TOOL_USE.name} has no 'tool_input'; it has {listed(list(data)) or 'no key'}.",
            path,
            hint="Name the arguments 'tool_input'. A call without arguments has \"tool_input\": {}.",
        )
    return data


def _read_response(data: object, path: str, findings: Findings) -> JsonObject:
    found, extra = findings.open_fields(data, OLD_RESPONSE, path)
    findings.required(found, OLD_RESPONSE, path, "author", "text")
    return {
        "form": "intermediate_response",
        "author": findings.string(found, "author", path, ""),
        "items": (Text(text=findings.string(found, "text", path, "")),),
        "source_ref": path,
        "extra": extra,
    }


def read_session_file(path: Path) -> tuple[SessionInput, tuple[str, ...]]:
    """A separate file with the initial session of a case, and the warnings about it.

    Raises:
        InputError: the file cannot be read, or is not a session.
    """
    findings = Findings(str(path))
    session = read_old_session(read_json(path), "$", findings)
    findings.raise_problems()
    return session, findings.warnings


def read_old_session(data: object, path: str, findings: Findings) -> SessionInput:
    """An initial session of an old shape; problems go to ``findings``."""
    found, extra = findings.open_fields(data, OLD_SESSION, path)
    return SessionInput(
        app_name=findings.string(found, "app_name", path, ""),
        user_id=findings.string(found, "user_id", path, ""),
        state=findings.object(found, "state", path) or {},
        extra=extra,
    )
