"""Converts the events of one ``/run`` to a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from adjudge.kit.adk import AdkEvent, turn_from_adk_events
from adjudge.model import Content, Invocation, JsonObject
from adjudge.plugin import (
    AgentError,
    Emit,
    InputError,
)


def invocation_of(events: object, content: Content, emit: Emit) -> Invocation:
    """Convert the events of one turn: the final response, and every event as a step.

    Args:
        events: The server's answer.
        content: The user's message.
        emit: Called with every step, also for a turn that fails later.

    Raises:
        AgentError: the answer is not a list of events, or the agent failed.
    """
    try:
        turn = turn_from_adk_events(_listed(events), content)
    except InputError as error:
        raise AgentError(
            f"the server answered events of another shape:\n{error}", code="bad_answer"
        ) from None
    for step in turn.steps:
        emit(step)
    if turn.final_response is None:
        _raise_failure(turn)
    return turn


def _listed(events: object) -> list[AdkEvent]:
    items = cast("Sequence[object]", events) if isinstance(events, list) else [None]
    if not all(isinstance(event, dict) for event in items):
        raise AgentError("the server answered no list of events: it is no ADK API server", code="bad_answer")
    return [AdkEvent(cast("JsonObject", event), f"$[{index}]") for index, event in enumerate(items)]


def _raise_failure(turn: Invocation) -> None:
    for step in reversed(turn.steps):
        for error in step.errors:
            message = "" if error.message == error.code else f": {error.message}"
            raise AgentError(f"the agent failed: {error.code}{message}", code="agent_failed")
