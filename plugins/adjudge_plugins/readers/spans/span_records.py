"""What a span tells, in words that every convention shares."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from adjudge.kit.logs import Losses, parse_mending
from adjudge.kit.strict_json import parse_json
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.items import Item
from adjudge.model.step import Usage
from adjudge.plugin import InputError

MAY_BE_JSON: Final = re.compile(r'\ufeff?\s*(?:[\[{"\-0-9]|true|false|null|NaN|Infinity)')
"""What JSON begins with, in a text."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message that a model was given or gave."""

    role: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A model was asked and answered."""

    inputs: tuple[Message, ...] = ()
    """All that it was given, which repeats what it was given before."""
    outputs: tuple[Message, ...] = ()
    instructions: str = ""
    tools: tuple[JsonValue, ...] = ()
    """The tools that it was offered, as the log declares them."""
    agent: str | None = None
    model: str | None = None
    usage: Usage | None = None
    extra: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """A tool ran."""

    name: str
    call_id: str | None = None
    """The call that it answers, where the span says so."""
    args: JsonObject | None = None
    raw_args: str | None = None
    has_result: bool = False
    result: JsonValue = None
    extra: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """An agent, a workflow or a chain ran: what other spans happen inside of."""

    name: str | None
    """The agent's name; ``None`` where the span is of no agent."""
    inputs: tuple[Message, ...] = ()
    outputs: tuple[Message, ...] = ()
    """Used where no model call inside tells what was asked and answered."""
    instructions: str = ""
    tools: tuple[JsonValue, ...] = ()
    said: tuple[Message, ...] = ()
    """All that its model said, where the span of the agent has it; used where no model call inside tells it."""
    model: str | None = None
    usage: Usage | None = None
    """Of all that was said."""
    whole: JsonValue = None
    """What went in and came out, as the log has it; a step of its own where nothing is told to happen inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Something else that happened and is a step of its own, for instance documents that were retrieved."""

    items: tuple[Item, ...]


Told: TypeAlias = ModelCall | ToolRun | AgentRun | Noted


def json_of(value: Any, losses: Losses | None = None) -> tuple[Any, bool]:
    """An attribute that may be JSON in a text, and whether it could be read; a text that cannot is itself.

    Args:
        value: The attribute.
        losses: Where given, odd values inside are mended, and said here.
    """
    if not isinstance(value, str):
        return value, value is not None
    if not MAY_BE_JSON.match(value):  # plain words, which most results are
        return value, False
    try:
        return parse_json(value, source="attribute"), True
    except InputError:
        if losses is None:
            return value, False
    mended: Counter[str] = Counter()
    try:
        found = parse_mending(value, "attribute", mended)
    except InputError:
        return value, False
    losses.take(mended)
    return found, True
