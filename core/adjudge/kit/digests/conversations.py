"""Conversations as steps: what the user and the agent said, which readers keep beside the steps."""

from __future__ import annotations

import re
from typing import Final

from adjudge.model.items import Item, Observation, Text, ToolCall
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory

_SIGNS: Final = re.compile(r"###(?:STOP|TRANSFER|OUT-OF-SCOPE)###")
"""What simulated users write to end the conversation: a sign for the program that plays them, and no message."""


def said_by_user(text: str) -> str:
    """What a user says, without the signs by which a simulated one ends the conversation."""
    return _SIGNS.sub("", text).strip() if "###" in text else text


def steps_with_words(trajectory: Trajectory) -> tuple[Step, ...]:
    """The steps with what was said around them, as many and in the same order.

    The last step of a turn has the turn's answer as its words where it has none of its own, and what the user
    says next as what came back: ``user: ...``.
    """
    steps: list[Step] = []
    turns = trajectory.invocations
    for at, turn in enumerate(turns):
        steps += turn.steps
        if not turn.steps:
            continue
        last = turn.steps[-1]
        more: list[Item] = []
        answer = "" if turn.final_response is None else turn.final_response.text
        if answer and not any(isinstance(item, Text | ToolCall) for item in last.items):
            more.append(Text(text=answer))
        following = turns[at + 1].user_content.text if at + 1 < len(turns) else ""
        if said := said_by_user(following).strip():
            more.append(Observation(text=f"user: {said}", source="user"))
        if more:
            steps[-1] = last.model_copy(update={"items": (*last.items, *more)})
    return tuple(steps)
