"""Parses the ``action`` of a step, without interpreting its arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from adjudge.kit import items, logs
from adjudge.model import Item, JsonObject, Opaque, Text, ToolCall

_NAME: Final = re.compile(r"[;\s]*([^\W\d][\w.-]*)\(")
_GAP: Final = re.compile(r"(?:[;\s]+|#[^\n]*)*")
_MARKS: Final = re.compile(r"""[()'"\\]""")
"""The characters that decide where a bracket closes."""
_ONE_CALL: Final = re.compile(
    r"""[;\s]*([^\W\d][\w.-]*)\(((?:[^()'"\\]++|"[^"\\]*+"|'[^'\\]*+')*+)\)[;\s]*"""
)
"""A call without escaped characters in quotes, the most frequent form: a fast path."""
_PLAIN_CALL: Final = re.compile(r"\s*([^\W\d][\w.-]*)\(([^()]*)\)\s*")

_NAME_KEYS: Final = ("name", "tool", "function", "action", "type")
_ARGUMENT_KEYS: Final = ("args", "arguments", "params", "parameters", "input")


def actions_of(value: object) -> list[Item]:
    """Parse the actions of a step.

    A text that consists of one or more calls ``name(...)`` becomes calls. The arguments are kept verbatim in
    ``raw_args``, unless they are empty or a JSON object. A comment after a call (``# ...``) goes to
    ``extra``. Any other text becomes a ``Text`` of the agent. An object is a call if it names a tool, or has
    a single key with the arguments as its value; otherwise it stays opaque.
    """
    match value:
        case None | "":
            return []
        case str():
            return _calls(value) or [Text(text=value, extra={"key": "action"})]
        case list():
            return [item for element in cast("Sequence[object]", value) for item in actions_of(element)]
        case dict():
            return [_call(cast("JsonObject", value))]
        case _:
            return [Opaque(name="action", value=value)]


def _calls(text: str) -> list[Item]:
    """Parse a text that consists of calls only; empty if it has anything else."""
    if (one := _ONE_CALL.fullmatch(text)) is not None:
        return [_made(one[1], one[2])]
    found: list[Item] = []
    position = 0
    while (name := _NAME.match(text, position)) is not None:
        end = _closing_bracket(text, name.end())
        if end < 0:
            break
        gap = cast("re.Match[str]", _GAP.match(text, end + 1))
        found.append(_made(name[1], text[name.end() : end], comment=gap[0].strip("; \t\r\n")))
        position = gap.end()
    if found and position == len(text):
        return found
    plain = _PLAIN_CALL.fullmatch(text)  # there an apostrophe is not a quotation mark
    return [_made(plain[1], plain[2])] if plain else []


def _closing_bracket(text: str, start: int) -> int:
    """Where the bracket before ``start`` closes, ignoring quoted brackets; -1 if it does not close."""
    depth, quote, skipped = 1, "", -1
    for found in _MARKS.finditer(text, start):
        char, position = found[0], found.start()
        if position <= skipped:
            continue
        if quote:
            if char == "\\":
                skipped = position + 1
            elif char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
            if not depth:
                return position
    return -1


def _made(name: str, inside: str, *, comment: str = "") -> ToolCall:
    args, raw = logs.arguments_of(inside) if inside.strip() else ({}, None)
    extra: JsonObject | None = {"comment": comment} if comment else None
    return items.call(name, args, raw, extra=extra)


def _call(action: JsonObject) -> Item:
    name_key = next((key for key in _NAME_KEYS if isinstance(action.get(key), str)), None)
    if name_key is None:
        return _single_key(action)
    rest = {key: value for key, value in action.items() if key != name_key}
    arguments_key = next((key for key in _ARGUMENT_KEYS if key in rest), None)
    if arguments_key is None:
        return ToolCall(name=action[name_key], args=rest)
    args, raw = logs.arguments_of(rest.pop(arguments_key))
    call_id = rest.pop("id") if isinstance(rest.get("id"), str) else None
    return ToolCall(name=action[name_key], args=args, raw_args=raw, id=call_id, extra=rest or None)


def _single_key(action: JsonObject) -> Item:
    """Parse ``{"click": {"index": 3}}``, the form of browser-use."""
    if len(action) == 1:
        [(name, args)] = action.items()
        if args is None or isinstance(args, dict):
            return ToolCall(name=name, args=cast("JsonObject | None", args))
    return Opaque(name="action", value=action)
