"""Finds the new part of a model's input, because every call repeats the conversation so far."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from adjudge.model.items import Claim, Item, Text, ToolCall, ToolResult
from adjudge_plugins.readers.spans.span_records import MAY_BE_JSON, Message

_SORTED: Final = json.JSONEncoder(sort_keys=True)
"""A shared encoder: ``json.dumps`` would create one per call."""


class Seen:
    """Counts the items of a conversation.

    Items are compared by content, not by position or id: instrumentations split a message with two calls into
    two messages, truncate the beginning of long conversations, and change the ids of calls when they repeat
    them.
    """

    def __init__(self) -> None:
        """Start with no items."""
        self._times: Counter[str] = Counter()
        self._marks: dict[int, tuple[Message, list[str]]] = {}

    def add(self, messages: Iterable[Message]) -> None:
        """Count the items of messages."""
        self._times.update(mark for message in messages for mark in self._marked(message) if mark)

    def new(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Yield and count the items that occur more often in this input than ever before. Thoughts are left out."""
        here: Counter[str] = Counter()
        for message in messages:
            fresh: list[Item] = []
            for item, mark in zip(message.items, self._marked(message), strict=True):
                if not mark:
                    continue
                here[mark] += 1
                if here[mark] > self._times[mark]:
                    self._times[mark] = here[mark]
                    fresh.append(item)
            if fresh:
                yield Message(message.role, tuple(fresh))

    def _marked(self, message: Message) -> list[str]:
        """The content of each item as text; cached by identity, because equal messages are usually one object."""
        found = self._marks.get(id(message))
        if found is None:  # keeping the message prevents the reuse of its id
            found = self._marks[id(message)] = message, [_mark(message, item) for item in message.items]
        return found[1]


def same(left: Any, right: Any) -> bool:
    """Whether two results have the same content; either may be a JSON text."""
    return result_text(left) == result_text(right)


def _mark(message: Message, item: Item) -> str:
    match item:
        case Claim():
            return ""
        case Text():
            return f"{_side(message)} text {' '.join(item.text.split())}"
        case ToolCall():
            return f"call {item.name} {arguments_text(item)}"
        case ToolResult():
            return f"result {item.call_id} {result_text(item.value)}"
        case _:
            return f"{_side(message)} {item.model_dump_json()}"


def _side(message: Message) -> str:
    return "agent" if message.role in {"assistant", "model"} else "other"


def arguments_text(call: ToolCall) -> str:
    """The arguments of a call as text, for comparison."""
    if call.args is None:
        return call.raw_args or "{}"
    return _SORTED.encode(call.args)


def result_text(value: Any) -> str:
    """The content of a result as text, for comparison; a JSON text is normalised."""
    if isinstance(value, str):
        if not MAY_BE_JSON.match(value):
            return " ".join(value.split())
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return " ".join(value.split())
    return value if isinstance(value, str) else _SORTED.encode(value)
