"""Checks are written into the text of a criteria file; everything else in it stays as somebody wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from adjudge.plugin import InputError, Problem

Checks: TypeAlias = Sequence[tuple[str, str]]
"""What each check is about, and its text."""

_BEFORE: Final = ("checks", "description")
"""The key that the checks take the place of, or else the one that they stand before."""

_LAST_OF_FOUR_DIGITS: Final = 0xFFFF


def with_checks(text: str, checks: Mapping[str, Checks]) -> str:
    """``text`` with these checks, by the names of the criteria; JSON stays JSON.

    Raises:
        InputError: a criterion of that name is no longer there.
    """
    missing = dict(checks)
    edits: list[tuple[int, int, str]] = []
    for item in _criteria(text):
        keys: dict[str, tuple[Any, Any]] = {str(key.value): (key, value) for key, value in item.value}
        named = keys.get("name")
        name = "" if named is None else " ".join(str(named[1].value).split())
        place = next((keys[key] for key in _BEFORE if key in keys), None)
        if place is None or name not in missing:
            continue
        key, value = place
        new = _written(missing.pop(name), key, flow=bool(item.flow_style))
        start = end = key.start_mark.index
        if key.value == _BEFORE[0]:
            end = _end(value)
        else:
            new += ", " if item.flow_style else "\n" + " " * key.start_mark.column
        edits.append((start, end, new))
    if missing:
        what = f"the text has no criterion in words of the name {next(iter(missing))!r} any more."
        raise InputError(Problem(what=what, hint="Look at the checks again."))
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


def _criteria(text: str) -> list[Any]:
    """The nodes of the criteria; the library says nothing of the types of nodes."""
    try:
        found = cast("Any", YAML(typ="safe", pure=True)).compose(text)
    except (YAMLError, RecursionError):
        return []
    return [item for item in found.value if item.id == "mapping"] if found and found.id == "sequence" else []


def _end(node: Any) -> int:
    """Where the last word of a value ends: comments after it belong to nobody."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last if node.id == "sequence" else last[1])


def _quoted(text: str) -> str:
    """A text in JSON's quotes, which are YAML's too."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(
        char if char.isprintable() or ord(char) > _LAST_OF_FOUR_DIGITS else f"\\u{ord(char):04x}"
        for char in quoted
    )


def _written(checks: Checks, key: Any, *, flow: bool) -> str:
    each = [(about, _quoted(text)) for about, text in checks]
    if flow:
        return '"checks": [' + ", ".join(f'{{"{about}": {text}}}' for about, text in each) + "]"
    indent = "\n" + " " * (key.start_mark.column + 2)
    return "checks:" + "".join(f"{indent}- {about}: {text}" for about, text in each)
