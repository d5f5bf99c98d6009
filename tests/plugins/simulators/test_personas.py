"""The personas that have an id in ADK."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from adjudge.kit.adk import known_personas, persona_of
from adjudge.model import ConversationScenario

Cli = Callable[..., CompletedProcess[str]]

BEHAVIOURS = {
    "EXPERT": [
        "Advance if the Agent succeeds",
        "Answer only relevant questions",
        "Correct the Agent if it makes a mistake",
        "Troubleshoot once (if necessary)",
        "End the conversation appropriately",
        "Professional tone",
    ],
    "NOVICE": [
        "Advance if the Agent succeeds",
        "Do not correct the Agent",
        "Answer all questions",
        "End the conversation appropriately",
        "Conversational tone",
    ],
    "EVALUATOR": [
        "Advance if the Agent succeeds",
        "Answer only relevant questions",
        "End the conversation appropriately",
        "Do not correct the Agent",
        "Conversational tone",
    ],
}


def test_the_personas_of_adk_are_there_with_their_behaviours() -> None:
    found = {
        name: [behavior.name for behavior in persona.behaviors] for name, persona in known_personas().items()
    }
    assert found == BEHAVIOURS


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_every_behaviour_says_what_to_do_and_what_not(name: str) -> None:
    persona = persona_of(ConversationScenario(starting_prompt="", conversation_plan="", user_persona=name))
    assert persona is not None
    assert persona.id == name
    assert persona.description
    for behavior in persona.behaviors:
        assert behavior.description
        assert behavior.behavior_instructions
        assert behavior.violation_rubrics


def test_a_persona_is_written_in_either_spelling_and_kept_as_it_was(
    tmp_path: Path, adjudge_here: Cli
) -> None:
    persona = {
        "id": "calm",
        "description": "You are calm.",
        "behaviors": [
            {"name": "n", "description": "d", "behaviorInstructions": ["wait"], "violation_rubrics": []}
        ],
        "age": 7,
    }
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Wait.", "user_persona": persona}
    case = {"eval_id": "calm", "conversation_scenario": scenario}
    file = tmp_path / "calm.evalset.json"
    file.write_text(json.dumps({"eval_set_id": "calm", "eval_cases": [case]}))
    read = persona_of(ConversationScenario(**scenario))
    assert read is not None
    assert read.behaviors[0].behavior_instructions == ("wait",)
    checked = adjudge_here("evalset", "validate", file.name)
    assert checked.returncode == 0
    assert "unknown key 'age' in UserPersona" in checked.stdout + checked.stderr
    shown = adjudge_here("evalset", "show", f"{file.name}:calm", "--json")
    assert json.loads(shown.stdout)[0]["conversation_scenario"]["user_persona"] == persona
