"""Single objects and whole files of ADK's as adjudge's model."""

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
    """ADK ``Content`` in snake_case or camelCase as ``Content``.

    Args:
        data: The content.
        path: Where it was read from, for messages.
        of_a_log: Whether further keys are taken, since a log may be of a newer version: those of parts stay in
            ``extra`` of their items, those of the content itself are left out.

    Raises:
        InputError: unknown keys or wrong types, all of them at once.
    """
    findings = Findings(of_a_log=of_a_log)
    found = findings.read(schema.Content, dict(data), path)
    findings.raise_problems()
    return Content() if found is None else content_of(found)


def invocation_from_adk(data: Mapping[str, Any], *, path: str = "$", of_a_log: bool = False) -> Invocation:
    """ADK ``Invocation`` in snake_case or camelCase; its steps are numbered from 1.

    Args:
        data: The invocation.
        path: Where it was read from, for messages.
        of_a_log: Whether further keys are taken, since a log may be of a newer version: those of the invocation
            and of parts stay in ``extra``, those of other objects are left out.

    Raises:
        InputError: unknown keys or wrong types, all of them at once.
    """
    findings = Findings(of_a_log=of_a_log)
    found = findings.read(schema.Invocation, dict(data), path)
    invocation = Invocation(user_content=Content())
    if found is not None:
        invocation = invocation_of(found, path, findings)
    findings.raise_problems()
    return invocation


def case_from_adk(data: Mapping[str, Any], *, path: str = "$") -> EvalCase:
    """ADK ``EvalCase`` in snake_case or camelCase; steps are numbered over the whole conversation.

    Raises:
        InputError: unknown keys, wrong types, both or neither of conversation and scenario; all of
            them at once.
    """
    findings = Findings()
    case = read_case(dict(data), path, findings)
    findings.raise_problems()
    return case


def read_eval_cases(path: Path) -> Iterator[EvalCase]:
    """The cases of a file in one pass, one at a time, those with problems left out.

    Raises:
        InputError: every problem of the file, once its end is reached.
    """
    with open_file(path) as file:
        yield from ValidatingPass(path, JsonStream(file, str(path))).cases()


def load_eval_set(path: Path) -> EvalSet:
    """A whole file in memory.

    Raises:
        InputError: every problem of the file.
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
