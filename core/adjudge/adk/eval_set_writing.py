"""Eval sets as ADK writes them, and old files in the new schema."""

from __future__ import annotations

import json
from pathlib import Path

from adjudge.adk.case import case_to_adk
from adjudge.adk.eval_set_file import open_eval_set
from adjudge.adk.legacy import read_session_file
from adjudge.errors import InputError, Problem
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalSet


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


def migrate_eval_set(path: Path, *, initial_session: Path | None = None) -> EvalSet:
    """A file of either old shape as an eval set.

    Args:
        path: The old file.
        initial_session: A file with the session that cases without one of their own start with.

    Raises:
        InputError: a file is broken, or ``path`` is in the new schema already.
    """
    file = open_eval_set(path)
    if file.shape == "eval_set":
        raise InputError(
            Problem(what="this file is in ADK's schema already; there is nothing to migrate.", file=str(path))
        )
    session = None if initial_session is None else read_session_file(initial_session)[0]
    cases = [
        case
        if session is None or case.session_input is not None
        else case.model_copy(update={"session_input": session})
        for case in file
    ]
    return EvalSet(eval_set_id=file.eval_set_id, name=file.eval_set_id, eval_cases=tuple(cases))
