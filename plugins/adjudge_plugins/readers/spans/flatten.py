"""Rebuilds lists of objects from separate attributes, because an attribute cannot be an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from adjudge.model.base import JsonObject

_DIGITS: Final = 6
"""The length limit of an index in digits."""

_DEEPEST: Final = 8
"""The nesting limit of lists; below it the rest of a name is kept as one key."""

VALUE: Final = "value"
"""The key of an element that is not an object."""


def unfolded(attributes: Mapping[str, Any], prefix: str) -> list[JsonObject]:
    """Rebuild the list in attributes like ``prefix.0.a.b`` and ``prefix.1.c.0.d``, in the order of the indexes.

    Dots in a name between two indexes are kept: ``prefix.0.message.role`` gives ``{"message.role": ...}``. An
    element of an inner list may be a plain value: ``prefix.0.texts.1`` gives ``{"texts": [...]}``. A plain
    value in the outer list becomes ``{"value": ...}``. If a name has both a value and a list, the value
    becomes the first element.
    """
    start = f"{prefix}."
    listed = _listed(
        {name[len(start) :]: value for name, value in attributes.items() if name.startswith(start)}, 1
    )
    return [element if isinstance(element, dict) else {VALUE: element} for element in listed]


def _listed(members: Mapping[str, Any], depth: int) -> list[Any]:
    values: dict[int, Any] = {}
    objects: dict[int, dict[str, Any]] = {}
    for name, value in members.items():
        first, _, rest = name.partition(".")
        if not _is_index(first):
            continue
        if rest:
            objects.setdefault(int(first), {})[rest] = value
        else:
            values[int(first)] = value
    found: list[Any] = []
    for index in sorted({*values, *objects}):
        if index in values:
            found.append(values[index])
        if index in objects:
            found.append(_object(objects[index], depth))
    return found


def _object(members: Mapping[str, Any], depth: int) -> JsonObject:
    whole: JsonObject = {}
    lists: dict[str, dict[str, Any]] = {}
    for name, value in members.items():
        words = name.split(".")
        at = next((at for at, word in enumerate(words) if _is_index(word)), None)
        if not at or depth == _DEEPEST:
            whole[name] = value
        else:
            lists.setdefault(".".join(words[:at]), {})[".".join(words[at:])] = value
    for name, inner in lists.items():
        before = [whole[name]] if name in whole else []
        whole[name] = cast("Any", [*before, *_listed(inner, depth + 1)])
    return whole


def _is_index(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _DIGITS
