"""Where the words of an item stand in a log: the field that a citation names, and its text."""

from __future__ import annotations

import json

from adjudge.kit.trace.actions import is_in_words
from adjudge.kit.trace.tools import is_thought
from adjudge.model.base import JsonValue
from adjudge.model.items import Claim, ErrorItem, Item, Observation, Opaque, Text, ToolCall, ToolResult


def place_of(item: Item) -> tuple[str, str] | None:
    """``(field, text)`` of an item; ``None`` for blobs and opaque items, which have no words to cite.

    An action that names no tool is words all the same. A tool with which the agent thinks holds a thought, and no action.
    """
    match item:
        case Claim():
            return item.field, item.text
        case ToolCall() if is_thought(item.name):
            said = [value for value in (item.args or {}).values() if isinstance(value, str)]
            return "thinking", "\n".join(said) or item.raw_args or item.name
        case ToolCall():
            arguments = item.raw_args if item.raw_args is not None else json_text(item.args or {})
            return "action", f"{item.name}({arguments})"
        case ToolResult():
            return "error" if item.is_error else "result", json_text(item.value)
        case Observation():
            return "observation", item.text
        case ErrorItem():
            return "error", item.message
        case Opaque(name="action"):
            return "action", json_text(item.value)
        case Text():
            return "action" if is_in_words(item) else "text", item.text
        case _:
            return None


def json_text(value: JsonValue) -> str:
    """A text as it is; anything else as JSON in one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
