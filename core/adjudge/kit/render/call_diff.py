"""Tool calls as lines: single calls, and the diff in ``details["calls"]`` of trajectory criteria."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from types import NoneType
from typing import Any, Final, TypeGuard, cast

from adjudge.kit.render.lines import Line, Piece, Tone, line, shortened
from adjudge.model.base import JsonObject, JsonValue

_VALUE_LIMIT: Final = 60
_CALL_LIMIT: Final = 160
_SHOWN_MATCHES: Final = 2
"""The maximum number of consecutive matching calls that are shown; more are only counted."""

_COUNTED: Final = {"match": "= {} calls match", "extra": "· {} additional calls, which are permitted"}

CALL_MARKS: Final[Mapping[str, tuple[str, Tone, str]]] = {
    "match": ("=", Tone.FAINT, ""),
    "different_args": ("~", Tone.UNSURE, "other arguments"),
    "missing": ("-", Tone.EXPECTED, "expected, not made"),
    "unexpected": ("+", Tone.ACTUAL, "made, not expected"),
    "out_of_order": (">", Tone.UNSURE, "out of order"),
    "extra": ("·", Tone.FAINT, "additional, which is permitted"),
}
"""A mark, a tone and a text for every status of a call."""


def value_text(value: JsonValue, limit: int = _VALUE_LIMIT) -> str:
    """A JSON value as a short text on one line."""
    if isinstance(value, str):
        value = value[: 4 * limit]
    return shortened(json.dumps(value, ensure_ascii=False, default=str), limit)


def call_text(name: str, args: JsonValue, limit: int = _CALL_LIMIT) -> str:
    """A call as ``name(argument=value, …)``; arguments that are not an object are shown as their value."""
    if isinstance(args, Mapping):
        pairs = cast("Mapping[str, Any]", args).items()
        inside = ", ".join(f"{key}={value_text(value)}" for key, value in pairs)
    else:
        inside = "" if args is None else value_text(args)
    return shortened(f"{name}({inside})", limit)


def is_call_diff(calls: object) -> TypeGuard[list[JsonObject]]:
    """Whether a value has the format of ``details["calls"]`` of trajectory criteria."""
    return isinstance(calls, list) and all(_is_entry(entry) for entry in cast("list[object]", calls))


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    found = cast("JsonObject", entry)
    status, differences = found.get("status"), found.get("differences", [])
    return (
        isinstance(status, str)
        and status in CALL_MARKS
        and all(isinstance(found.get(side), dict | NoneType) for side in ("expected", "actual"))
        and isinstance(differences, list)
        and all(isinstance(item, dict) for item in cast("list[object]", differences))
    )


def call_diff(calls: list[JsonObject], *, indent: int, everything: bool) -> Iterator[Line]:
    """Show all calls with their status.

    Args:
        calls: The entries of ``details["calls"]``.
        indent: The indent of the lines in columns.
        everything: Whether to show all matching calls instead of only their number.
    """
    for status, group in groupby(calls, key=lambda entry: entry["status"]):
        entries = list(group)
        if status in _COUNTED and len(entries) > _SHOWN_MATCHES and not everything:
            yield line((_COUNTED[status].format(len(entries)), Tone.FAINT), indent=indent)
            continue
        for entry in entries:
            yield from _entry(entry, indent)


def _entry(entry: JsonObject, indent: int) -> Iterator[Line]:
    sign, tone, words = CALL_MARKS[entry["status"]]
    expected, actual = entry.get("expected"), entry.get("actual")
    differences: list[JsonObject] = entry.get("differences", [])
    call: JsonObject = (actual if expected is None or differences else expected) or actual or {}
    shown: list[Piece] = [(f"{sign} {call_text(str(call.get('name', '?')), call.get('args'))}", tone)]
    if words:
        shown.append((f"   {words}", Tone.FAINT))
    yield line(*shown, indent=indent)
    yield from difference_lines(differences, indent=indent + 4)


def is_differences(found: object) -> TypeGuard[list[JsonObject]]:
    """Whether a value has the format of ``details["differences"]``: objects with a path and values."""
    return isinstance(found, list) and all(
        isinstance(item, dict) and isinstance(cast("JsonObject", item).get("path"), str)
        for item in cast("list[object]", found)
    )


def difference_lines(differences: list[JsonObject], *, indent: int) -> Iterator[Line]:
    """Show the expected and the actual value of every path; of long values only the parts that differ."""
    for difference in differences:
        path = str(difference.get("path", "$")).removeprefix("$").removeprefix(".") or "arguments"
        texts = [_json(difference[side]) if side in difference else None for side in ("expected", "actual")]
        if None in texts or max(len(text or "") for text in texts) <= _VALUE_LIMIT:
            expected, actual = (
                "nothing" if text is None else shortened(text, _VALUE_LIMIT) for text in texts
            )
            yield line(
                f"{path}: expected ",
                (expected, Tone.EXPECTED),
                ", got ",
                (actual, Tone.ACTUAL),
                indent=indent,
            )
            continue
        from adjudge.kit.render.word_diff import marked

        left, right = marked(str(texts[0]), str(texts[1]))
        yield line(f"{path}: expected ", *left, indent=indent)
        yield line(f"{' ' * len(path)}  got      ", *right, indent=indent)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
