"""Detect actions described in an agent's text, for logs that record no calls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from adjudge.model.invocation import Invocation

ACTIONS_IN_PROSE: Final = (
    "actions: the log records no calls, and actions in the agent's text are not extracted"
)
"""The entry of ``lost`` for such a run."""
_TAG: Final = re.compile(r"<(?:function|tool)_?calls?>|<function=|<invoke\b")
"""Tags that models write if they have no interface for tool calls."""
_BLOCK: Final = re.compile(r"^[ \t]*```[ \t]*\w|^[ \t]*Action(?:[ \t]+Input)?:[ \t]*\S", re.MULTILINE)
"""A code block, or an action in the format of ReAct. In an answer, the user may have asked for it."""


def has_actions_in_prose(turns: Iterable[Invocation]) -> bool:
    """Whether a run has no tool calls, but the agent's texts seem to contain some."""
    known = tuple(turns)
    if any(step.calls for turn in known for step in turn.own_steps):
        return False
    steps = [step.text for turn in known for step in turn.steps]
    answers = [turn.final_response.text for turn in known if turn.final_response is not None]
    return any(_TAG.search(text) for text in (*steps, *answers)) or any(_BLOCK.search(text) for text in steps)
