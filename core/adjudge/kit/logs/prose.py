"""Actions that stand in an agent's words, where a log records no calls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from adjudge.model.invocation import Invocation

ACTIONS_IN_PROSE: Final = (
    "actions: the log records no calls, and what stands in the agent's words is not told apart"
)
"""What readers say in ``lost`` of such a run."""

_TAG: Final = re.compile(r"<(?:function|tool)_?calls?>|<function=|<invoke\b")
"""What models write that have no interface for calls."""
_BLOCK: Final = re.compile(r"^[ \t]*```[ \t]*\w|^[ \t]*Action(?:[ \t]+Input)?:[ \t]*\S", re.MULTILINE)
"""A block of code, or what ReAct writes. In an answer it may be what the user asked for."""


def has_actions_in_prose(turns: Iterable[Invocation]) -> bool:
    """Whether a run records no call, and the agent's words look as if there were some."""
    known = tuple(turns)
    steps = [step.text for turn in known for step in turn.steps]
    answers = [turn.final_response.text for turn in known if turn.final_response is not None]
    return not any(turn.tool_calls for turn in known) and (
        any(_TAG.search(text) for text in (*steps, *answers)) or any(_BLOCK.search(text) for text in steps)
    )
