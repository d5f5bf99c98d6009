"""Actions of the agent, and their equality."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from adjudge.kit.trace.tools import is_thought
from adjudge.model.items import Item, Text, ToolCall
from adjudge.model.step import Step

ActionKey: TypeAlias = tuple[str, str]
"""The name and the arguments of an action. Two actions are equal if their keys are."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the agent: a tool call, or a text that the log records as an action."""

    step: int
    """The number of the step."""
    name: str
    """The name of the tool; empty if the action is a text."""
    key: ActionKey
    item: ToolCall | Text


def actions_of(steps: Iterable[Step]) -> list[Action]:
    """All actions, in order."""
    return [
        Action(step.number, key[0], key, item)
        for step in steps
        for item in step.items
        if isinstance(item, ToolCall | Text) and (key := _key(item)) is not None
    ]


def _key(item: Item) -> ActionKey | None:
    """The key of an action; ``None`` if the item is not an action.

    Keys are independent of the order of arguments; missing arguments equal ``{}``. Arguments that are not an object
    are compared as text without surrounding white space. A text is an action if the log records it as one
    (``action: "Open the menu"``).
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
    """Whether the log records this text as an action."""
    return (item.extra or {}).get("key") == "action"
