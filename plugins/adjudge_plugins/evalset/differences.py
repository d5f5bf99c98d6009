"""What differs between two JSON values, place by place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from adjudge.kit.strict_json import is_list, is_object

ABSENT: Final = object()
"""In place of a value: there is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place, and what stood and stands there."""

    path: str
    """``$.conversation[0].final_response``: as it is in the new value, or in the old one where it is gone."""
    old: Any
    new: Any

    def document(self) -> dict[str, Any]:
        """As JSON: ``old`` or ``new`` is left out where there was or is nothing."""
        values = {"old": self.old, "new": self.new}
        return {"path": self.path, **{name: value for name, value in values.items() if value is not ABSENT}}


def changes(old: Any, new: Any, path: str = "$") -> Iterator[Change]:
    """Every place in which two values differ, as deep as possible."""
    if is_object(old) and is_object(new):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from changes(old.get(key, ABSENT), new.get(key, ABSENT), f"{path}{_step(key)}")
    elif is_list(old) and is_list(new):
        yield from _of_lists(old, new, path)
    elif old is ABSENT or new is ABSENT or _text(old) != _text(new):
        yield Change(path, old, new)


def _of_lists(old: list[Any], new: list[Any], path: str) -> Iterator[Change]:
    # An element that is put in or taken out shifts the others: equal ones are paired first.
    matcher = SequenceMatcher(None, list(map(_text, old)), list(map(_text, new)), autojunk=False)
    for _, left, left_to, right, right_to in matcher.get_opcodes():
        paired = min(left_to - left, right_to - right)
        for place in range(paired):
            yield from changes(old[left + place], new[right + place], f"{path}[{right + place}]")
        for place in range(left + paired, left_to):
            yield Change(f"{path}[{place}]", old[place], ABSENT)
        for place in range(right + paired, right_to):
            yield Change(f"{path}[{place}]", ABSENT, new[place])


def _text(value: Any) -> str:
    """What two equal values have in common: the order of keys does not count, 1 and true do, and so do 1 and 1.0."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() else f"[{json.dumps(key, ensure_ascii=False)}]"
