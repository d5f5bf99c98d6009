"""The three match types for tool calls whose arguments are compared by equality: the path of nearly every turn.

These functions read tool calls directly, because making anything to compare them by costs more than
comparing them. Equal calls can stand for one another, so that first fit is optimal here; any other relation
is the business of ``relation``. Each gives the actual index of every expected call, or nothing where they do
not match.

Raises of all: ``AttributeError`` for something that is not a tool call, ``RecursionError`` for arguments nested
too deeply for Python's own comparison. The caller has a slower way for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.kit.matching.calls import arguments_of


def _begins_with(actual: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether the expected calls come first, one after the other: what a good agent does, in every match type."""
    for wanted, given in zip(expected, actual):  # noqa: B905 - the caller has compared the lengths
        if wanted.name != given.name:
            return False
        args = wanted.args
        # Where null stands, it equals {}, and text that is no object counts.
        if (args != given.args or args is None) and arguments_of(wanted) != arguments_of(given):
            return False
    return True


def exact(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """The same calls in the same order."""
    length = len(expected)
    return range(length) if length == len(actual) and _begins_with(actual, expected) else None


def in_order(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """The expected calls as a subsequence; the earliest one."""
    found: list[int] = []
    rest = enumerate(actual)
    for wanted in expected:
        name, args = wanted.name, wanted.args
        for at, given in rest:
            if given.name == name and (
                (args and args == given.args) or arguments_of(wanted) == arguments_of(given)
            ):
                found.append(at)
                break
        else:
            return None
    return found


def any_order(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """The expected calls as a part of the actual ones, each actual call used once."""
    length = len(expected)
    if length > len(actual):
        return None
    if _begins_with(actual, expected):
        return range(length)
    found: list[int] = []
    pool: list[Any] = list(actual)
    for wanted in expected:
        name, args = wanted.name, arguments_of(wanted)
        for at, given in enumerate(pool):
            if given is not None and given.name == name and arguments_of(given) == args:
                found.append(at)
                pool[at] = None
                break
        else:
            return None
    return found
