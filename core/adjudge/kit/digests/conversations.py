"""Adds the texts of a conversation, which readers store separately, to its steps."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from adjudge.model.items import Item, Observation, Text, ToolCall
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory

_SIGNS: Final = re.compile(r"###(?:STOP|TRANSFER|OUT-OF-SCOPE)###")
"""Signals with which simulated users end the conversation; they are not messages."""


def said_by_user(text: str) -> str:
    """A user's message without the signals with which a simulated user ends the conversation."""
    return _SIGNS.sub("", text).strip() if "###" in text else text


class Task(NamedTuple):
    """What a run was about."""

    told: str
    """The task as the agent knew it; empty if the log has none."""
    hidden: str
    """What the user wanted, if the agent was not told all of it, as the script of a simulated user; else empty."""


def task_of(trajectory: Trajectory) -> Task:
    """The task of a run: the one that the log names, else the user's first message."""
    said = [said_by_user(turn.user_content.text) for turn in trajectory.invocations]
    task = trajectory.task or ""
    first = next((text for text in said if text.strip()), "")
    # In a conversation the task may be more than the first message says. A task that no message states
    # was unknown to the agent.
    is_told = first in task or any(task in text for text in said)
    is_hidden = sum(map(bool, said)) > 1 and bool(task) and not is_told
    return Task(first, task) if is_hidden else Task(task or first, "")


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
