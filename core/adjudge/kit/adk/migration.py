"""Migrates eval files of formats older than ADK's schema to the schema."""

from __future__ import annotations

from pathlib import Path

from adjudge.adk import schema
from adjudge.adk.eval_set_pass import open_eval_set
from adjudge.adk.json_input import read_json
from adjudge.adk.legacy import session_of
from adjudge.adk.validation import Findings
from adjudge.model.eval_set import EvalSet, SessionInput
from adjudge.plugin import InputError, Problem


def migrate_eval_set(path: Path, *, initial_session: Path | None = None) -> EvalSet:
    """Convert a file in one of the two older formats to an eval set.

    Args:
        path: The old file.
        initial_session: A file with the initial session for cases that do not define one.

    Raises:
        InputError: a file is invalid, or ``path`` already has the new schema.
    """
    file = open_eval_set(path)
    if file.given_id is not None:
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


def read_session_file(path: Path) -> tuple[SessionInput, tuple[str, ...]]:
    """Read a separate file with the initial session of a case; also return warnings about it.

    Raises:
        InputError: the file cannot be read, or is not a session.
    """
    findings = Findings(str(path))
    found = findings.read(schema.OldSession, read_json(path), "$")
    session = SessionInput() if found is None else session_of(found, "$", findings)
    findings.raise_problems()
    return session, findings.warnings
