"""Eval sets: the cases that an agent is evaluated on."""

from __future__ import annotations

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation, Rubric


class SessionInput(Frozen):
    """What a session starts with (ADK ``SessionInput``)."""

    app_name: str = ""
    user_id: str = ""
    session_id: str | None = None
    state: JsonObject = {}
    extra: JsonObject | None = None
    """Further keys of the file; ADK allows them."""


class UserBehavior(Frozen):
    """One way in which a simulated user behaves (ADK ``UserBehavior``). ``{{ stop_signal }}`` may stand in its texts."""

    name: str
    description: str
    behavior_instructions: tuple[str, ...] = ()
    """What the user does."""
    violation_rubrics: tuple[str, ...] = ()
    """What a message of such a user never does; a judge looks for these."""


class UserPersona(Frozen):
    """Who a simulated user is (ADK ``UserPersona``)."""

    id: str
    description: str
    behaviors: tuple[UserBehavior, ...] = ()


class ConversationScenario(Frozen):
    """A conversation that a simulated user leads (ADK ``ConversationScenario``)."""

    starting_prompt: str
    """What the user says first, word for word."""
    conversation_plan: str
    """What the user wants, in words."""
    user_persona: str | JsonObject | None = None
    """The id of a persona, or the persona itself, as the eval set has it; ``adjudge.kit.adk.persona_of`` reads it."""


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
    """Further keys of the file; ADK allows them."""


class EvalSet(Frozen):
    """A file of cases, whole in memory. Large files are read case by case instead (``adjudge.adk``)."""

    eval_set_id: str
    name: str | None = None
    description: str | None = None
    eval_cases: tuple[EvalCase, ...] = ()
    creation_timestamp: float = 0.0
    extra: JsonObject | None = None
