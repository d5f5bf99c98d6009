"""The fields of a log that contain the texts of items, for citations."""

from __future__ import annotations

import json

from adjudge.kit.trace.actions import is_in_words
from adjudge.kit.trace.tools import is_thought
from adjudge.model.base import JsonValue
from adjudge.model.items import Claim, ErrorItem, Item, Observation, Opaque, Text, ToolCall, ToolResult


def place_of(item: Item) -> tuple[str, str] | None:
    """``(field, text)`` of an item; ``None`` for blobs and opaque items, which have no text to cite.

    A text that the log records as an action is in the field ``action``. The text of a call of a thinking tool is in the
    field ``thinking``.
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
    """A text unchanged; other values as JSON in one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
