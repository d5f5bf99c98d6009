"""Eval files from before ADK had a schema, in the new schema."""

from __future__ import annotations

from pathlib import Path

from adjudge.adk.eval_set_file import open_eval_set
from adjudge.adk.legacy import read_session_file
from adjudge.model.eval_set import EvalSet
from adjudge.plugin import InputError, Problem


def migrate_eval_set(path: Path, *, initial_session: Path | None = None) -> EvalSet:
    """A file of either old shape as an eval set.

    Args:
        path: The old file.
        initial_session: A file with the session that cases without one of their own start with.

    Raises:
        InputError: a file is broken, or ``path`` is in the new schema already.
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
