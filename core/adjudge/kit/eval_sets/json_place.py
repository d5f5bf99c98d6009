"""A place in a JSON value, written as in messages: ``conversation[0].final_response``."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeAlias

from pydantic.alias_generators import to_camel, to_snake

from adjudge.kit.eval_sets.differences import ABSENT
from adjudge.kit.strict_json import is_list, is_object
from adjudge.plugin import InputError, Problem

_PIECE: Final = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')

Steps: TypeAlias = tuple[str | int, ...]


def steps_of(path: str) -> Steps:
    """Parse a path such as ``$.conversation[0]["a key"]`` into keys and indices; ``$`` may be left out.

    Raises:
        InputError: the path is invalid.
    """
    rest = path.removeprefix("$")
    steps: list[str | int] = []
    at = 0
    while at < len(rest):
        piece = _PIECE.match(rest, at)
        if piece is None:
            break
        name, index, quoted = piece.groups()
        steps.append(name if name is not None else int(index) if index is not None else json.loads(quoted))
        at = piece.end()
    if not steps or at < len(rest):
        raise InputError(
            Problem(
                what=f"{path!r} is no path into a case.",
                hint='Write keys and indices: conversation[0].final_response.parts[0].text, session_input.state["my key"].',
            )
        )
    return tuple(steps)


def value_at(value: Any, steps: Steps) -> Any:
    """The value at a place, with keys in snake_case or camelCase; ``ABSENT`` if there is none."""
    for step in steps:
        if isinstance(step, str) and is_object(value) and (key := _key(value, step)) in value:
            value = value[key]
        elif isinstance(step, int) and is_list(value) and step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value


def with_value(value: Any, steps: Steps, new: Any, *, path: str) -> Any:
    """A copy of the value with another value at a place. A new key of an object and a next list element are allowed.

    Raises:
        InputError: there is no such place.
    """
    (first, *rest) = steps
    if not rest:
        return _placed(value, first, new, path)
    return _placed(value, first, with_value(_at(value, first, path), tuple(rest), new, path=path), path)


def without(value: Any, steps: Steps, *, path: str) -> Any:
    """A copy of the value without the entry at a place.

    Raises:
        InputError: there is no such entry.
    """
    (first, *rest) = steps
    inner = _at(value, first, path)
    if rest:
        return _placed(value, first, without(inner, tuple(rest), path=path), path)
    if is_object(value):
        return {key: item for key, item in value.items() if key != _key(value, str(first))}
    return [item for index, item in enumerate(value) if index != first]


def _at(value: Any, step: str | int, path: str) -> Any:
    found = value_at(value, (step,))
    if found is ABSENT:
        raise InputError(Problem(what=f"{path}: there is no {_shown(step)} {_in(value)}"))
    return found


def _placed(value: Any, step: str | int, new: Any, path: str) -> Any:
    if isinstance(step, str) and is_object(value):
        return {**value, _key(value, step): new}
    if isinstance(step, int) and is_list(value) and step <= len(value):
        return [*value[:step], new, *value[step + 1 :]]
    raise InputError(Problem(what=f"{path}: there can be no {_shown(step)} {_in(value)}"))


def _key(value: dict[str, Any], name: str) -> str:
    """The key in the spelling of the file: ADK reads ``tool_uses`` and ``toolUses``."""
    return next((key for key in (name, to_camel(name), to_snake(name)) if key in value), name)


def _shown(step: str | int) -> str:
    return f"key {step!r}" if isinstance(step, str) else f"element [{step}]"


def _in(value: Any) -> str:
    if is_object(value):
        return f"in an object with {', '.join(value) or 'no keys'}"
    if is_list(value):
        return f"in a list of {len(value)}"
    return f"in {json.dumps(value, ensure_ascii=False)[:60]}"
