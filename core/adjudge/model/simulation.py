"""A conversation with a simulated user: what the simulator is shown, what it says, and how it ended."""

from __future__ import annotations

from typing import Final, Self

from pydantic import Field, model_validator

from adjudge.model.base import Frozen
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content
from adjudge.model.judging import JudgeUse

TURN_LIMIT: Final = "turn_limit"
"""Why a conversation ends that the user would have gone on with: it has as many turns as are allowed."""


class SimulatedConversation(Frozen):
    """A conversation before the user's next message."""

    case: EvalCase
    """Its ``conversation_scenario`` has the first message, the plan of the conversation, and the persona."""
    invocations: tuple[Invocation, ...] = ()
    """The turns so far, whole: a simulator chooses what of the agent's steps its user sees."""
    repeat: int = Field(default=1, ge=1)
    """Which repeat of the case it is."""


class UserTurn(Frozen):
    """What a simulated user does next: exactly one of a message, the end of the conversation, and a fault."""

    content: Content | None = None
    """The message to send. One that says nothing is a fault."""
    stop: str | None = None
    """Why the conversation ends here, as a word for programs: ``stop_signal``, ``turn_limit``, ``no_more_messages`` or
    another. ``no_message`` is a fault: there should have been one."""
    fault: Failure | None = None
    """What went wrong with the simulator itself: an ``error`` of the case, and no FAIL of the agent."""
    note: str | None = None
    """Why, in words, for people; shown where the conversation ends here."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in ("content", "stop", "fault") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of 'content', 'stop' and 'fault', found {given or 'none'}")
        return self

    @classmethod
    def failed(cls, code: str, message: str, *, retryable: bool = False) -> UserTurn:
        """A fault. The case's error has the code ``user_`` and then ``code``."""
        return cls(fault=Failure(code=code, message=message, retryable=retryable))


class Simulation(Frozen):
    """Who played the user of a conversation, and how it ended."""

    simulator: str
    """As ``plugin/component``."""
    persona: str | None = None
    """The id of the persona."""
    stop_reason: str | None = None
    """Why the user ended it (see ``UserTurn.stop``); ``None`` where it was broken off."""
    note: str | None = None
    """The simulator's own words about that."""
    judging: JudgeUse | None = None
    """What was asked of a model for it; ``None`` where none was asked."""
