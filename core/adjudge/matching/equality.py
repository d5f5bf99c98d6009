"""The three match types for tool calls whose arguments are compared by equality: the path of nearly every turn.

These loops read tool calls directly, because building anything to compare them by costs more than
comparing them. Equal calls can stand for one another, so that first fit is optimal here; everything else is in
``relation``. Each gives the actual index of every expected call, or nothing where they do not match.

Raises of all: ``AttributeError`` for something that is not a tool call, ``RecursionError`` for arguments nested
too deeply for Python's own comparison. The caller has a slower way for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adjudge.matching.calls import arguments_of
from adjudge.matching.options import MatchType


def exact(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """The same calls in the same order."""
    if len(expected) != len(actual):
        return None
    for wanted, given in zip(expected, actual, strict=True):
        if wanted.name != given.name:
            return None
        args = wanted.args
        # Calls without arguments take the long way: null equals {}, and text that is no object counts.
        if not (args and args == given.args) and arguments_of(wanted) != arguments_of(given):
            return None
    return range(len(expected))


def in_order(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """The expected calls as a subsequence; the earliest one."""
    found: list[int] = []
    rest = iter(expected)
    wanted = next(rest, None)
    if wanted is None:
        return found
    name, args = wanted.name, wanted.args
    for at, given in enumerate(actual):
        if given.name == name and (
            (args and args == given.args) or arguments_of(wanted) == arguments_of(given)
        ):
            found.append(at)
            wanted = next(rest, None)
            if wanted is None:
                return found
            name, args = wanted.name, wanted.args
    return None


def any_order(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """The expected calls as a part of the actual ones, each actual call used once."""
    if len(expected) > len(actual):
        return None
    found: list[int] = []
    pool: list[Any] = list(actual)
    for wanted in expected:
        name, args = wanted.name, wanted.args
        for at, given in enumerate(pool):
            if (
                given is not None
                and given.name == name
                and ((args and args == given.args) or arguments_of(wanted) == arguments_of(given))
            ):
                found.append(at)
                pool[at] = None
                break
        else:
            return None
    return found


BY_EQUALITY: Final = {MatchType.EXACT: exact, MatchType.IN_ORDER: in_order, MatchType.ANY_ORDER: any_order}
