"""The three match types under any relation between calls, and order-preserving alignment.

Each match type gives the actual index of every expected call, or nothing where they do not match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from adjudge.kit.matching.assignment import maximum_matching
from adjudge.kit.matching.calls import Key
from adjudge.kit.matching.options import MatchType

Same: TypeAlias = Callable[[Key, Key], bool]
"""Whether the actual call (second) will do for the expected one (first)."""


def exact(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> Sequence[int] | None:
    """The same number of calls, each one as its place expects."""
    if len(expected) != len(actual) or not all(map(same, expected, actual)):
        return None
    return range(len(expected))


def in_order(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> Sequence[int] | None:
    """The expected calls as a subsequence. The earliest match is never worse than a later one."""
    found: list[int] = []
    start = 0
    for key in expected:
        at = next((at for at in range(start, len(actual)) if same(key, actual[at])), None)
        if at is None:
            return None
        found.append(at)
        start = at + 1
    return found


def any_order(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> Sequence[int] | None:
    """The expected calls as a part of the actual ones, by a maximum matching."""
    found = [column for column in best_pairs(expected, actual, same) if column is not None]
    return found if len(found) == len(expected) else None


def best_pairs(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> list[int | None]:
    """The actual index of each expected call where as many as possible are served, in any order."""
    return maximum_matching(
        [[index for index, other in enumerate(actual) if same(key, other)] for key in expected]
    )


BY_RELATION: Final = {MatchType.EXACT: exact, MatchType.IN_ORDER: in_order, MatchType.ANY_ORDER: any_order}


# --- order-preserving alignment ------------------------------------------------------------


def best_chain(rows: int, columns: int, gain: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Pairs in which both indices rise, with the largest sum of gains; the earliest pairs where sums are equal.

    With a gain of 1 for calls that match and 0 for others it is a longest common subsequence; with
    ``1 + credit`` for every pair it is the cheapest edit script (see ``edit_distance``).

    Args:
        rows: How many expected calls there are.
        columns: How many actual calls there are.
        gain: What pairing a row with a column is worth; pairs worth 0 are never made.
    """
    gains = [[gain(row, column) for column in range(columns)] for row in range(rows)]
    # best[row][column]: the largest sum from that row and that column on.
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        below, here, worth = best[row + 1], best[row], gains[row]
        for column in reversed(range(columns)):
            here[column] = max(below[column], here[column + 1], worth[column] + below[column + 1])
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        if gains[row][column] > 0 and best[row][column] == gains[row][column] + best[row + 1][column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs
