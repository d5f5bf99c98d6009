"""Reads single objects and whole files of ADK into the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from adjudge.adk import schema
from adjudge.adk.case import read_case
from adjudge.adk.content import content_of
from adjudge.adk.eval_set_pass import ValidatingPass, open_eval_set
from adjudge.adk.invocation import invocation_of
from adjudge.adk.json_input import JsonStream, open_file
from adjudge.adk.validation import Findings
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase, EvalSet
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content


def content_from_adk(data: Mapping[str, Any], *, path: str = "$", of_a_log: bool = False) -> Content:
    """Read an ADK ``Content`` in snake_case or camelCase.

    Args:
        data: The JSON object.
        path: Its JSON path, for error messages.
        of_a_log: Whether unknown keys are allowed, because a log may have a newer format. Those of parts are stored in
            ``extra`` of their items; those of the content itself are left out.

    Raises:
        InputError: there are unknown keys or wrong types; it names all of them.
    """
    findings = Findings(of_a_log=of_a_log)
    found = findings.read(schema.Content, dict(data), path)
    findings.raise_problems()
    return Content() if found is None else content_of(found)


def invocation_from_adk(data: Mapping[str, Any], *, path: str = "$", of_a_log: bool = False) -> Invocation:
    """Read an ADK ``Invocation`` in snake_case or camelCase; its steps are numbered from 1.

    Args:
        data: The JSON object.
        path: Its JSON path, for error messages.
        of_a_log: Whether unknown keys are allowed, because a log may have a newer format. Those of the invocation and
            of parts are stored in ``extra``; those of other objects are left out.

    Raises:
        InputError: there are unknown keys or wrong types; it names all of them.
    """
    findings = Findings(of_a_log=of_a_log)
    found = findings.read(schema.Invocation, dict(data), path)
    invocation = Invocation(user_content=Content())
    if found is not None:
        invocation = invocation_of(found, path, findings)
    findings.raise_problems()
    return invocation


def case_from_adk(data: Mapping[str, Any], *, path: str = "$") -> EvalCase:
    """Read an ADK ``EvalCase`` in snake_case or camelCase; steps are numbered over the whole conversation.

    Raises:
        InputError: there are unknown keys or wrong types, or both or neither of conversation and scenario; it names
            all problems.
    """
    findings = Findings()
    case = read_case(dict(data), path, findings)
    findings.raise_problems()
    return case


def read_eval_cases(path: Path) -> Iterator[EvalCase]:
    """Read the cases of a file in one pass, one at a time, without those with problems.

    Raises:
        InputError: at the end of the file, if it has problems; it names all of them.
    """
    with open_file(path) as file:
        yield from ValidatingPass(path, JsonStream(file, str(path))).cases()


def load_eval_set(path: Path) -> EvalSet:
    """Read a whole eval-set file into memory.

    Raises:
        InputError: the file has problems; it names all of them.
    """
    file = open_eval_set(path)
    given: JsonObject = {}
    if file.creation_timestamp is not None:
        given["creation_timestamp"] = file.creation_timestamp
    return EvalSet(
        eval_set_id=file.eval_set_id,
        name=file.name,
        description=file.description,
        eval_cases=tuple(file),
        extra=file.extra,
        **given,
    )
