"""Personas of simulated users: ADK's built-in ones, and those defined in an eval set."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from pydantic_core import from_json

from adjudge.adk import schema
from adjudge.adk.validation import Findings, is_object, kind
from adjudge.errors import did_you_mean
from adjudge.model.eval_set import ConversationScenario, UserBehavior, UserPersona


@cache
def known_personas() -> Mapping[str, UserPersona]:
    """The personas with the ids of ADK's built-in ones; their texts are adjudge's own."""
    text = resources.files(__package__ or "").joinpath("personas.json").read_bytes()
    found: dict[str, Any] = from_json(text)
    behaviors = {name: UserBehavior(**behavior) for name, behavior in found["behaviors"].items()}
    return {
        name: UserPersona(
            id=name,
            description=persona["description"],
            behaviors=tuple(behaviors[each] for each in persona["behaviors"]),
        )
        for name, persona in found["personas"].items()
    }


def persona_of(scenario: ConversationScenario) -> UserPersona | None:
    """The persona of a scenario that was read from a file; ``None`` if it names none.

    Raises:
        InputError: the persona is unknown; reading the eval set has reported it before.
    """
    findings = Findings()
    persona = read_persona(scenario.user_persona, "user_persona", findings)
    findings.raise_problems()
    return persona


def read_persona(value: object, path: str, findings: Findings) -> UserPersona | None:
    """Read an ADK ``UserPersona``, or the id of a built-in one. Problems are added to ``findings``."""
    if value is None:
        return None
    known = known_personas()
    if isinstance(value, str):
        if value not in known:
            findings.problem(
                f"there is no persona {value!r}.{did_you_mean(value.upper(), known)}",
                path,
                hint=f"There are {', '.join(known)}. A persona of your own is written in place of its id, as an object "
                "with 'id', 'description' and 'behaviors'.",
            )
        return known.get(value)
    if not is_object(value):
        findings.problem(f"'user_persona' must be an id or an object, found {kind(value)}.", path)
        return None
    found = findings.read(schema.UserPersona, value, path)
    if found is None:
        return None
    findings.further(found, path)
    for at, behavior in enumerate(found.behaviors):
        findings.further(behavior, f"{path}.behaviors[{at}]")
    return UserPersona(
        id=found.id,
        description=found.description,
        behaviors=tuple(UserBehavior(**behavior.given()) for behavior in found.behaviors),
    )
