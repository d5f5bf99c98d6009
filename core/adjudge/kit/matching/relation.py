"""The three match types for any comparison of calls, and order-preserving alignment.

Each match type returns the actual index of every expected call, or ``None`` if the calls do not match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from adjudge.kit.matching.assignment import maximum_matching
from adjudge.kit.matching.calls import Key
from adjudge.kit.matching.options import MatchType

Same: TypeAlias = Callable[[Key, Key], bool]
"""A function of an expected and an actual call that returns whether they match."""


def exact(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> Sequence[int] | None:
    """``EXACT``: the same number of calls, which match pairwise in order."""
    if len(expected) != len(actual) or not all(map(same, expected, actual)):
        return None
    return range(len(expected))


def in_order(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> Sequence[int] | None:
    """``IN_ORDER``: the expected calls as a subsequence, by greedy matching, which is optimal here."""
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
    """``ANY_ORDER``: all expected calls are matched in a maximum-cardinality bipartite matching."""
    found = [column for column in best_pairs(expected, actual, same) if column is not None]
    return found if len(found) == len(expected) else None


def best_pairs(expected: Sequence[Key], actual: Sequence[Key], same: Same) -> list[int | None]:
    """The actual index of each expected call in a maximum-cardinality bipartite matching."""
    return maximum_matching(
        [[index for index, other in enumerate(actual) if same(key, other)] for key in expected]
    )


BY_RELATION: Final = {MatchType.EXACT: exact, MatchType.IN_ORDER: in_order, MatchType.ANY_ORDER: any_order}


# --- order-preserving alignment ------------------------------------------------------------


def best_chain(rows: int, columns: int, gain: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Order-preserving alignment: pairs with increasing indices and the largest total gain.

    Of alignments with equal sums, the one with the earliest pairs is returned. With a gain of 1 for matching calls and
    0 for others it is a longest common subsequence; with ``1 + credit`` for every pair it is the cheapest edit script
    (see ``Edits``).

    Args:
        rows: The number of expected calls.
        columns: The number of actual calls.
        gain: The gain of pairing a row with a column; pairs with gain 0 are never made.
    """
    gains = [[gain(row, column) for column in range(columns)] for row in range(rows)]
    # best[row][column]: the largest sum for the rows from ``row`` on and the columns from ``column`` on.
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
