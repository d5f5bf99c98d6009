"""Adds the texts of a conversation, which readers store separately, to its steps."""

from __future__ import annotations

import re
from typing import Final

from adjudge.model.items import Item, Observation, Text, ToolCall
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory

_SIGNS: Final = re.compile(r"###(?:STOP|TRANSFER|OUT-OF-SCOPE)###")
"""Signals with which simulated users end the conversation; they are not messages."""


def said_by_user(text: str) -> str:
    """A user's message without the signals with which a simulated user ends the conversation."""
    return _SIGNS.sub("", text).strip() if "###" in text else text


def steps_with_words(trajectory: Trajectory) -> tuple[Step, ...]:
    """The steps of a run, with the texts of the conversation added to them.

    The last step of a turn gets the turn's final response as a text, if it has no text or call itself, and the user's
    next message as an observation: ``user: ...``.
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
