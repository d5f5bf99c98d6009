"""A conversation with a simulated user: what the simulator is shown, and what it says."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from adjudge.model.base import Frozen
from adjudge.model.eval_set import ConversationScenario
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content


class SimulatedConversation(Frozen):
    """A conversation as its user sees it, before the user's next message."""

    scenario: ConversationScenario
    """The first message, the plan of the conversation, and the persona."""
    invocations: tuple[Invocation, ...] = ()
    """The turns so far, each with the user's message and the final answer alone: a user sees no step of the agent."""
    turns_left: int = Field(ge=1)
    """The most messages that may still be sent, the next one included."""


class UserTurn(Frozen):
    """What a simulated user does next: exactly one of a message, the end of the conversation, and a fault."""

    content: Content | None = None
    """The message to send."""
    stop: str | None = None
    """Why the conversation ends here, for instance because its plan is completed."""
    fault: str | None = None
    """What went wrong with the simulator itself: an ``error`` of the case, and no FAIL of the agent."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in ("content", "stop", "fault") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of 'content', 'stop' and 'fault', found {given or 'none'}")
        return self
