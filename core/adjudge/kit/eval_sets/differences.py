"""The differences between two JSON values, with their places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from adjudge.kit.strict_json import is_list, is_object

ABSENT: Final = object()
"""The placeholder for a missing value."""


@dataclass(frozen=True, slots=True)
class Change:
    """A changed place with its old and its new value."""

    path: str
    """The JSON path, for instance ``$.conversation[0].final_response``: in the new value, or if it was removed, in the
    old value."""
    old: Any
    new: Any

    def document(self) -> dict[str, Any]:
        """The change as JSON; ``old`` or ``new`` is left out if it is ``ABSENT``."""
        values = {"old": self.old, "new": self.new}
        return {"path": self.path, **{name: value for name, value in values.items() if value is not ABSENT}}


def changes(old: Any, new: Any, path: str = "$") -> Iterator[Change]:
    """Iterate over the places in which two values differ, as deep as possible."""
    if is_object(old) and is_object(new):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from changes(old.get(key, ABSENT), new.get(key, ABSENT), f"{path}{_step(key)}")
    elif is_list(old) and is_list(new):
        yield from _of_lists(old, new, path)
    elif old is ABSENT or new is ABSENT or _text(old) != _text(new):
        yield Change(path, old, new)


def _of_lists(old: list[Any], new: list[Any], path: str) -> Iterator[Change]:
    # An inserted or removed element shifts the others: pair equal elements first.
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
    """A text by which values are compared: independent of the order of keys, but 1, true and 1.0 differ."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() else f"[{json.dumps(key, ensure_ascii=False)}]"
