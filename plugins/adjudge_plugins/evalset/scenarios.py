"""Cases of conversation scenarios, in the format of ADK's ``ConversationScenarios`` files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from adjudge.kit.adk import case_from_adk
from adjudge.kit.eval_sets import EvalSetDocument
from adjudge.kit.strict_json import is_list, is_object, read_json
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.plugin import InputError, Problem


def read_scenarios(path: Path, session_input: Path | None) -> list[EvalCase]:
    """Read the cases in a file of scenarios, each with the session of the other file.

    Raises:
        InputError: a file cannot be read or is invalid; all mistakes are named.
    """
    found = read_json(path)
    scenarios = found.get("scenarios") if is_object(found) else None
    if not is_list(scenarios) or (is_object(found) and set(found) != {"scenarios"}):
        raise InputError(
            Problem(what='expected {"scenarios": [...]}, as ADK writes it, and no other key.', file=str(path))
        )
    session = session_of(session_input)
    cases: list[EvalCase] = []
    problems: list[Problem] = []
    for index, scenario in enumerate(scenarios):
        try:
            cases.append(case_of(scenario, session, f"{path}, $.scenarios[{index}]"))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return cases


_ANY: JsonObject = {"starting_prompt": "", "conversation_plan": ""}


def session_of(path: Path | None) -> Any:
    """Read ADK's ``SessionInput`` from a file, unconverted; ``None`` without a file.

    Raises:
        InputError: it cannot be read or is invalid.
    """
    if path is None:
        return None
    session = read_json(path)
    _checked({"conversation_scenario": _ANY, "session_input": session}, str(path))
    return session


def case_of(scenario: Any, session: Any, place: str) -> EvalCase:
    """Make the case of one scenario.

    Its id is a hash of the scenario, so that equal scenarios have the same id. Without a persona it is the id
    that ADK gives.

    Args:
        scenario: ADK's ``ConversationScenario``.
        session: ADK's ``SessionInput``; ``None`` for none.
        place: The place of the scenario, for messages.

    Raises:
        InputError: the scenario is invalid.
    """
    case = _checked(
        {"conversation_scenario": scenario, **({} if session is None else {"session_input": session})}, place
    )
    told = case.conversation_scenario
    if told is None:
        raise InputError(Problem(what="this is not a scenario.", file=place))
    hashed = {
        "starting_prompt": told.starting_prompt,
        "conversation_plan": told.conversation_plan,
        "user_persona": told.user_persona,
    }
    digest = hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()
    return case.model_copy(update={"eval_id": digest[:8]})


def _checked(data: JsonObject, place: str) -> EvalCase:
    return case_from_adk({"eval_id": "scenario", **data}, path=place)


def add_missing(document: EvalSetDocument, cases: list[EvalCase]) -> tuple[list[str], list[str]]:
    """Add the cases whose id the file does not have; return the added ids and the ids that existed."""
    added: list[str] = []
    known: list[str] = []
    for case in cases:
        if case.eval_id in document.ids:
            known.append(case.eval_id)
            continue
        document.add(case)
        added.append(case.eval_id)
    return added, known
