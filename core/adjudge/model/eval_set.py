"""Eval sets: the cases on which an agent is evaluated."""

from __future__ import annotations

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation, Rubric


class SessionInput(Frozen):
    """The initial data of a session (ADK ``SessionInput``)."""

    app_name: str = ""
    user_id: str = ""
    session_id: str | None = None
    state: JsonObject = {}
    extra: JsonObject | None = None
    """Unknown keys in the file, which ADK allows."""


class UserBehavior(Frozen):
    """A behaviour of a simulated user (ADK ``UserBehavior``). Its texts may contain ``{{ stop_signal }}``."""

    name: str
    description: str
    behavior_instructions: tuple[str, ...] = ()
    """Instructions for the user."""
    violation_rubrics: tuple[str, ...] = ()
    """Violations of the behaviour; a judge checks the user's messages for them."""


class UserPersona(Frozen):
    """The persona of a simulated user (ADK ``UserPersona``)."""

    id: str
    description: str
    behaviors: tuple[UserBehavior, ...] = ()


class ConversationScenario(Frozen):
    """A conversation with a simulated user (ADK ``ConversationScenario``)."""

    starting_prompt: str
    """The user's first message, sent unchanged."""
    conversation_plan: str
    """A description of what the user wants."""
    user_persona: str | JsonObject | None = None
    """The id of a persona, or the persona itself, as in the file. ``adjudge.kit.adk.persona_of`` reads it."""


class EvalCase(Frozen):
    """One case: one session with the agent. It has a conversation or a scenario, never both."""

    eval_id: str
    conversation: tuple[Invocation, ...] | None = None
    conversation_scenario: ConversationScenario | None = None
    session_input: SessionInput | None = None
    creation_timestamp: float = 0.0
    rubrics: tuple[Rubric, ...] | None = None
    final_session_state: JsonObject | None = None
    extra: JsonObject | None = None
    """Unknown keys in the file, which ADK allows."""


class EvalSet(Frozen):
    """An eval set that is completely in memory. Large files are read case by case instead (``adjudge.adk``)."""

    eval_set_id: str
    name: str | None = None
    description: str | None = None
    eval_cases: tuple[EvalCase, ...] = ()
    creation_timestamp: float = 0.0
    extra: JsonObject | None = None
