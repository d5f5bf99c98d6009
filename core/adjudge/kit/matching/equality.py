"""The three match types for tool calls whose arguments are compared by equality, the most frequent case.

These functions read tool calls directly, because creating keys would cost more than comparing. Equality is transitive,
so a greedy assignment is optimal; see ``relation`` for other comparisons. Each function returns the actual index of
every expected call, or ``None`` if the calls do not match.

All raise ``AttributeError`` for an item that is not a tool call, and ``RecursionError`` for arguments that are nested
too deeply for Python's comparison. The caller then uses the slower functions of ``relation``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.kit.matching.calls import arguments_of


def _begins_with(actual: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether the actual calls begin with the expected ones: the most frequent case for every match type."""
    for wanted, given in zip(expected, actual):  # noqa: B905 - the caller has compared the lengths
        if wanted.name != given.name:
            return False
        args = wanted.args
        # ``None`` equals {}, and a text that is not an object is compared as text.
        if (args != given.args or args is None) and arguments_of(wanted) != arguments_of(given):
            return False
    return True


def exact(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """``EXACT``: the same calls in the same order."""
    length = len(expected)
    return range(length) if length == len(actual) and _begins_with(actual, expected) else None


def in_order(expected: Sequence[Any], actual: Sequence[Any]) -> Sequence[int] | None:
    """``IN_ORDER``: the expected calls as a subsequence; the earliest one."""
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
    """``ANY_ORDER``: the expected calls are contained in the actual ones, each of which is used at most once."""
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
