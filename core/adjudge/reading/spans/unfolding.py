"""Lists of objects that were written as attributes of their own, because an attribute cannot be an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from adjudge.model.base import JsonObject

_DIGITS: Final = 6
"""More digits than an index has."""


def unfolded(attributes: Mapping[str, Any], prefix: str) -> list[JsonObject]:
    """The list that stands in attributes like ``prefix.0.a.b`` and ``prefix.1.c.0.d``, in the order of its indexes.

    The dots of a name between two indexes stay: ``prefix.0.message.role`` gives ``{"message.role": ...}``.
    """
    start = f"{prefix}."
    return _listed(
        {name[len(start) :]: value for name, value in attributes.items() if name.startswith(start)}
    )


def _listed(members: Mapping[str, Any]) -> list[JsonObject]:
    found: dict[int, dict[str, Any]] = {}
    for name, value in members.items():
        index, _, rest = name.partition(".")
        if _is_index(index) and rest:
            found.setdefault(int(index), {})[rest] = value
    return [_object(found[index]) for index in sorted(found)]


def _object(members: Mapping[str, Any]) -> JsonObject:
    whole: JsonObject = {}
    lists: dict[str, dict[str, Any]] = {}
    for name, value in members.items():
        words = name.split(".")
        at = next((at for at, word in enumerate(words) if _is_index(word)), None)
        if at is None or at == 0 or at + 1 == len(words):
            whole[name] = value
        else:
            lists.setdefault(".".join(words[:at]), {})[".".join(words[at:])] = value
    return {**whole, **{name: cast("Any", _listed(inner)) for name, inner in lists.items()}}


def _is_index(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _DIGITS
