"""The content of a span, independent of its convention."""

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
"""The possible beginnings of a JSON text."""


@dataclass(slots=True)
class Message:
    """One input or output message of a model."""

    role: str
    items: tuple[Item, ...]


@dataclass(slots=True, kw_only=True)
class ModelCall:
    """A call of a model."""

    inputs: tuple[Message, ...] = ()
    """The whole input, which repeats the earlier conversation."""
    outputs: tuple[Message, ...] = ()
    instructions: str = ""
    tools: tuple[JsonValue, ...] = ()
    """The tools offered to the model, as declared in the log."""
    agent: str | None = None
    model: str | None = None
    usage: Usage | None = None
    extra: JsonObject | None = None


@dataclass(slots=True, kw_only=True)
class ToolRun:
    """An execution of a tool."""

    name: str
    call_id: str | None = None
    """The id of the call that it answers, if the span has one."""
    args: JsonObject | None = None
    raw_args: str | None = None
    has_result: bool = False
    result: JsonValue = None
    extra: JsonObject | None = None


@dataclass(slots=True, kw_only=True)
class AgentRun:
    """The run of an agent, a workflow or a chain, which encloses other spans."""

    name: str | None
    """The agent's name; ``None`` if the span is not an agent's."""
    inputs: tuple[Message, ...] = ()
    outputs: tuple[Message, ...] = ()
    """Used if no model call inside has the input and output."""
    instructions: str = ""
    tools: tuple[JsonValue, ...] = ()
    said: tuple[Message, ...] = ()
    """All output of its model, if the agent's span has it; used if no model call inside has it."""
    model: str | None = None
    usage: Usage | None = None
    """The token usage for all of that output."""
    whole: JsonValue = None
    """The raw input and output; it becomes a step if no spans inside are known."""


@dataclass(slots=True, kw_only=True)
class Noted:
    """Another event that becomes a step, for instance retrieved documents."""

    items: tuple[Item, ...]


Told: TypeAlias = ModelCall | ToolRun | AgentRun | Noted


def json_of(value: Any, losses: Losses | None = None) -> tuple[Any, bool]:
    """Parse an attribute that may be a JSON text. Returns the value, or the text itself, and whether parsing succeeded.

    Args:
        value: The attribute.
        losses: If given, invalid values inside are repaired and the repairs are noted here.
    """
    if not isinstance(value, str):
        return value, value is not None
    if not MAY_BE_JSON.match(value):  # a fast check: most results are plain text
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
