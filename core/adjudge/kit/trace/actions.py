"""Actions: what the agent did, and when two actions are the same."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from adjudge.kit.trace.tools import is_thought
from adjudge.model.items import Item, Text, ToolCall
from adjudge.model.step import Step

ActionKey: TypeAlias = tuple[str, str]
"""The name and the arguments. Two actions are the same where their keys are equal."""


@dataclass(frozen=True, slots=True)
class Action:
    """A tool call, or the words that a log gives as an action."""

    step: int
    """The number of the step."""
    name: str
    """The tool; empty where the action is in words."""
    key: ActionKey
    item: ToolCall | Text


def actions_of(steps: Iterable[Step]) -> list[Action]:
    """Every action, in order."""
    return [
        Action(step.number, key[0], key, item)
        for step in steps
        for item in step.items
        if isinstance(item, ToolCall | Text) and (key := _key(item)) is not None
    ]


def _key(item: Item) -> ActionKey | None:
    """What the action is the same by; ``None`` where the item is no action.

    The order of arguments does not count, nor whether a log has ``{}`` or none. Arguments that are no object count
    as the text that they are, without the white space around them. Words are an action where the log
    has them in place of one (``action: "Open the menu"``).
    """
    if isinstance(item, ToolCall):
        if is_thought(item.name):
            return None
        if item.args is None and item.raw_args is not None:
            return item.name, item.raw_args.strip()
        return item.name, json.dumps(item.args or {}, sort_keys=True, ensure_ascii=False, default=str)
    if isinstance(item, Text) and is_in_words(item):
        return "", " ".join(item.text.split())
    return None


def is_in_words(item: Text) -> bool:
    """Whether a log has these words in the place of an action."""
    return (item.extra or {}).get("key") == "action"
