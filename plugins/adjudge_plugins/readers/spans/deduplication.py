"""Which part of a model's input is new: every call repeats the conversation so far."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from adjudge.model.items import Claim, Item, Text, ToolCall, ToolResult
from adjudge_plugins.readers.spans.span_records import MAY_BE_JSON, Message


class Seen:
    """Counts what a conversation already has.

    Items are compared by what they say, not by position or id: instrumentations split a message of two
    calls in two, cut the front of a long conversation off, and give calls other ids when they repeat them.
    """

    def __init__(self) -> None:
        """Nothing was seen."""
        self._times: Counter[str] = Counter()
        self._marks: dict[int, tuple[Message, list[str]]] = {}

    def add(self, messages: Iterable[Message]) -> None:
        """Note what was said."""
        self._times.update(mark for message in messages for mark in self._marked(message) if mark)

    def new(self, messages: Iterable[Message]) -> Iterator[Message]:
        """The part of an input that is there more often than ever before, which is noted. Thoughts are left out."""
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
        """What each item of the message says. Equal messages are mostly one object, so it is worked out once."""
        found = self._marks.get(id(message))
        if found is None:  # the message is kept, so that no other one gets its id
            found = self._marks[id(message)] = message, [_mark(message, item) for item in message.items]
        return found[1]


def same(left: Any, right: Any) -> bool:
    """Whether two results say the same: one may be JSON in a text where the other is an object."""
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
    """The arguments of a call; equal texts are equal arguments."""
    if call.args is None:
        return call.raw_args or "{}"
    return json.dumps(call.args, sort_keys=True)


def result_text(value: Any) -> str:
    """What a result says; equal texts are equal results, and one may be JSON in a text."""
    if isinstance(value, str):
        if not MAY_BE_JSON.match(value):
            return " ".join(value.split())
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return " ".join(value.split())
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
