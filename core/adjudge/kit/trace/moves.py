"""Moves: the actions of a step, with their results up to the next actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from adjudge.kit.trace.actions import Action, ActionKey, actions_of
from adjudge.kit.trace.failures import ShownError, errors_of
from adjudge.model.invocation import Invocation
from adjudge.model.step import Step

FailedKey: TypeAlias = tuple[ActionKey, ...]
"""The key of the failed action; of all actions of the move if the log does not contain which one failed."""


@dataclass(slots=True)
class Move:
    """A step with actions, and the following steps without actions."""

    actions: list[Action]
    steps: list[Step]
    errors: list[ShownError] = field(default_factory=list[ShownError])

    @property
    def number(self) -> int:
        """The number of the step with the actions."""
        return self.steps[0].number

    def failed(self) -> dict[FailedKey, ShownError]:
        """The failed actions of the move, with the first error of each."""
        by_id = {call_id: action.key for action in self.actions if (call_id := _id(action)) is not None}
        found: dict[FailedKey, ShownError] = {}
        for error in self.errors:
            key = by_id.get(error.call_id) if error.call_id is not None else None
            found.setdefault(
                (key,) if key is not None else tuple(action.key for action in self.actions), error
            )
        return found


def moves_of(turn: Invocation) -> list[Move]:
    """The moves of a turn, in order.

    An error belongs to the move with the call that its result names. Without a call id it belongs to the move of its
    own step, that is, of the last step with actions. Errors before the first action belong to no move.
    """
    moves: list[Move] = []
    callers: dict[str, Move] = {}
    for step in turn.steps:
        actions = actions_of([step])
        if actions:
            moves.append(Move(actions, [step]))
            callers.update((call_id, moves[-1]) for call_id in _ids(actions))
        elif moves:
            moves[-1].steps.append(step)
        for error in errors_of(step):
            named = callers.get(error.call_id) if error.call_id is not None else None
            if named is not None:
                named.errors.append(error)
            elif moves:
                moves[-1].errors.append(error)
    return moves


def _ids(actions: list[Action]) -> Iterator[str]:
    return (call_id for action in actions if (call_id := _id(action)) is not None)


def _id(action: Action) -> str | None:
    return action.item.id if action.item.kind == "call" else None
