"""A conversation with a simulated user: the simulator's input, its messages, and the reason of the end."""

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
"""The stop reason of a conversation that was ended by the limit on turns, not by the user."""


class SimulatedConversation(Frozen):
    """The input of a user simulator: a conversation before the user's next message."""

    case: EvalCase
    """Its ``conversation_scenario`` has the first message, the plan of the conversation, and the persona."""
    invocations: tuple[Invocation, ...] = ()
    """The turns so far, with all steps; the simulator decides which steps its user sees."""
    repeat: int = Field(default=1, ge=1)
    """The number of the repeat, from 1."""


class UserTurn(Frozen):
    """The next turn of a simulated user: exactly one of a message, the end of the conversation, and a fault."""

    content: Content | None = None
    """The message to send. An empty message is a fault."""
    stop: str | None = None
    """The reason of the end as a code: ``stop_signal``, ``turn_limit``, ``no_more_messages`` or another one. The code
    ``no_message`` is a fault: a message was expected."""
    fault: Failure | None = None
    """A failure of the simulator. The case becomes an ``error``, not a FAIL of the agent."""
    note: str | None = None
    """An explanation for people, shown if the conversation ends with this turn."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in ("content", "stop", "fault") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of 'content', 'stop' and 'fault', found {given or 'none'}")
        return self

    @classmethod
    def failed(cls, code: str, message: str, *, retryable: bool = False) -> UserTurn:
        """Create a fault. The error code of the case is ``user_`` followed by ``code``."""
        return cls(fault=Failure(code=code, message=message, retryable=retryable))


class Simulation(Frozen):
    """The simulator of a conversation's user, and the end of the conversation."""

    simulator: str
    """As ``plugin/component``."""
    persona: str | None = None
    """The id of the persona."""
    stop_reason: str | None = None
    """The reason of the end (see ``UserTurn.stop``); ``None`` if the conversation was interrupted."""
    note: str | None = None
    """The simulator's explanation of the end."""
    judging: JudgeUse | None = None
    """The use of a model by the simulator; ``None`` if it used none."""
