"""Converts OpenAI chat messages to steps: the format of chat endpoints and of many logs.

Names: the OpenAI API reference, "chat completion message". ``reasoning_content`` is an addition of servers of open
models; ``requestor``, and arguments that are objects, are of tau2-bench.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from adjudge.adk.validation import is_object
from adjudge.kit import items as made
from adjudge.kit.openai.arguments import arguments_of
from adjudge.kit.openai.parts import items_of_content, refuse, value_of_result
from adjudge.model.base import JsonObject
from adjudge.model.items import Item, Text, ToolCall
from adjudge.model.step import Step, Usage

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""The roles that a message may have."""

_TOOLS: Final = frozenset({"tool", "function"})
_OF_CALLS: Final = frozenset({"id", "type", "function", "custom", "index"})
_OF_PLAIN_CALLS: Final = frozenset({"id", "name", "arguments"})
_READ: Final = frozenset(
    {
        *("role", "content", "refusal", "reasoning_content", "tool_calls", "function_call"),
        *("tool_call_id", "model", "usage"),
    }
)
_READ_OF_TOOLS: Final = _READ | {"name"}


def step_from_openai(
    message: Mapping[str, Any], *, number: int = 1, path: str = "$", source_ref: str | None = None
) -> Step:
    """Convert a message of any role to a step.

    A tool message becomes a ``ToolResult`` with its ``tool_call_id``; a missing id is not guessed. Keys that are not
    used are stored in ``extra``.

    Args:
        message: The JSON of the message.
        number: The step's number.
        path: The JSON path of the message, for error messages.
        source_ref: The ``source_ref`` of the step; by default ``path``.

    Raises:
        InputError: it is not a message: the role is unknown, or a field has a wrong type.
    """
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        refuse(f"{path}.role", f"found {role!r}, expected one of {', '.join(sorted(ROLES))}")
    is_result = role in _TOOLS
    items = _result(message) if is_result else _said(message, path)
    usage = message.get("usage")
    model = message.get("model")
    read = _READ_OF_TOOLS if is_result else _READ
    extra = None if read.issuperset(message) else {key: message[key] for key in message if key not in read}
    return made.step(
        number,
        tuple(items),
        role=role,
        source_ref=source_ref or path,
        model=model if isinstance(model, str) else None,
        usage=usage_from_openai(cast("JsonObject", usage)) if isinstance(usage, dict) else None,
        extra=extra,
    )


def usage_from_openai(usage: Mapping[str, Any]) -> Usage:
    """Convert the ``usage`` of an answer with OpenAI's or Anthropic's names, without counts that are not integers."""
    input_details, output_details = (
        _details(usage, "prompt", "input"),
        _details(usage, "completion", "output"),
    )
    taken, given = (
        _count(usage, "prompt_tokens", "input_tokens"),
        _count(usage, "completion_tokens", "output_tokens"),
    )
    read, written = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
    if "prompt_tokens" not in usage and taken is not None:
        taken += (read or 0) + (written or 0)  # Anthropic's input tokens do not include cached ones
    cached = _count(input_details, "cached_tokens")
    return Usage(
        input_tokens=taken,
        output_tokens=given,
        total_tokens=_count(usage, "total_tokens"),
        cached_tokens=read if cached is None else cached,
        reasoning_tokens=_count(output_details, "reasoning_tokens"),
    )


def _details(usage: Mapping[str, Any], *names: str) -> JsonObject:
    found = (usage.get(f"{name}_tokens_details") for name in names)
    return next(filter(is_object, found), cast("JsonObject", {}))


def _count(counts: Mapping[str, Any], *keys: str) -> int | None:
    values = (counts.get(key) for key in keys)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def _said(message: Mapping[str, Any], path: str) -> list[Item]:
    items: list[Item] = []
    reasoning = message.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        items.append(made.claim(reasoning))
    items += items_of_content(message.get("content"), f"{path}.content")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        items.append(Text(text=refusal, extra={"type": "refusal"}))
    for index, call in enumerate(_listed(message, "tool_calls", path)):
        items.append(_call(call, f"{path}.tool_calls[{index}]"))
    if message.get("function_call") is not None:  # the predecessor of tool_calls, without an id
        items.append(_call({"function": message["function_call"]}, f"{path}.function_call"))
    return items


def _result(message: Mapping[str, Any]) -> list[Item]:
    name, call_id = message.get("name"), message.get("tool_call_id")
    return [
        made.result(
            value_of_result(message.get("content")),
            name=name if isinstance(name, str) else None,
            call_id=call_id if isinstance(call_id, str) else None,
        )
    ]


def _call(call: object, path: str) -> ToolCall:
    data = cast("JsonObject", call) if isinstance(call, dict) else {}
    function = data.get("function") or data.get("custom") or data
    named = cast("JsonObject", function) if isinstance(function, dict) else {}
    name = named.get("name")
    if not isinstance(name, str):
        refuse(path, "found no name of a function")
    # The input of a "custom" tool is free text.
    args, raw = arguments_of(named.get("arguments", named.get("input")))
    call_id = data.get("id")
    known = _OF_CALLS if function is not data else _OF_PLAIN_CALLS
    return made.call(
        name,
        args,
        raw,
        id=call_id if isinstance(call_id, str) else None,
        extra=None if known.issuperset(data) else {key: data[key] for key in data if key not in known},
    )


def _listed(message: Mapping[str, Any], key: str, path: str) -> Sequence[object]:
    value = message.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        refuse(f"{path}.{key}", f"found {type(value).__name__}, expected a list")
    return cast("Sequence[object]", value)
