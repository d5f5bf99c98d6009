"""Finds the new part of a model's input, because every call repeats the conversation so far."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import to_json

from adjudge.kit.strict_json import is_list, is_object
from adjudge.model.items import Claim, Item, Text, ToolCall, ToolResult
from adjudge_plugins.readers.spans.span_records import MAY_BE_JSON, Message


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
    return _sorted_text(call.args)


def result_text(value: Any) -> str:
    """The content of a result as text, for comparison; a JSON text is normalised."""
    if isinstance(value, str):
        if not MAY_BE_JSON.match(value):
            return " ".join(value.split())
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return " ".join(value.split())
    return value if isinstance(value, str) else _sorted_text(value)


def _sorted_text(value: Any) -> str:
    """A JSON value as text, the same for objects that differ only in the order of their keys."""
    return to_json(_with_sorted_keys(value)).decode()


def _with_sorted_keys(value: Any) -> Any:
    if is_object(value):
        return {key: _with_sorted_keys(value[key]) for key in sorted(value)}
    return [_with_sorted_keys(element) for element in value] if is_list(value) else value
