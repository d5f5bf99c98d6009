"""Optimal assignment of actual to expected calls: two classical assignment problems."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final


def maximum_matching(choices: Sequence[Sequence[int]]) -> list[int | None]:
    """Maximum-cardinality bipartite matching.

    A greedy assignment is not enough: it may give a call to one expected call although it is the only choice for
    another. Rows are assigned in order along shortest augmenting paths (Kuhn's algorithm, after Berge's theorem),
    earlier columns first; an assigned row stays assigned, perhaps to another column.

    Args:
        choices: The possible columns of each row, in order of preference.

    Returns:
        The column of each row; ``None`` if it has none.
    """
    column_of: list[int | None] = [None] * len(choices)
    row_of: dict[int, int] = {}
    for row in range(len(choices)):
        came_from: dict[int, int] = {}
        queue = deque([row])
        free: int | None = None
        while queue and free is None:
            current = queue.popleft()
            for column in choices[current]:
                if column in came_from:
                    continue
                came_from[column] = current
                if column not in row_of:
                    free = column
                    break
                queue.append(row_of[column])
        while free is not None:
            column, owner = free, came_from[free]
            free = column_of[owner]
            column_of[owner], row_of[column] = column, owner
    return column_of


_NONE: Final = -1


def maximum_weight(weights: Sequence[Sequence[float]]) -> list[int | None]:
    """Maximum-weight bipartite matching.

    Shortest augmenting paths with potentials (the Hungarian algorithm in the form of Jonker and Volgenant), in time
    ``O(rows * rows * columns)`` if there are fewer rows than columns.

    Args:
        weights: A matrix of non-negative numbers.

    Returns:
        The column of each row; ``None`` if it has none, or only one of weight 0.
    """
    rows, columns = len(weights), len(weights[0]) if weights else 0
    if rows > columns:
        turned = maximum_weight([[row[column] for row in weights] for column in range(columns)])
        found: list[int | None] = [None] * rows
        for column, row in enumerate(turned):
            if row is not None:
                found[row] = column
        return found
    row_of = _cheapest_rows(weights, columns)
    column_of: list[int | None] = [None] * rows
    for column, row in enumerate(row_of):
        if row != _NONE and weights[row][column] > 0:
            column_of[row] = column
    return column_of


def _cheapest_rows(weights: Sequence[Sequence[float]], columns: int) -> list[int]:
    """The row of each column in the assignment of all rows with the largest total weight."""
    # Rows that can all have their best column need no augmenting path; with many equal weights that is most rows.
    best = [max(row, default=0.0) for row in weights]
    tight = [
        [column for column, weight in enumerate(row) if weight == most]
        for row, most in zip(weights, best, strict=True)
    ]
    row_price, column_price = [-most for most in best], [0.0] * columns
    row_of = [_NONE] * columns
    alone: list[int] = []
    for row, column in enumerate(maximum_matching(tight)):
        if column is None:
            alone.append(row)
        else:
            row_of[column] = row
    for start in alone:
        slack = [float("inf")] * columns
        before = [_NONE] * columns
        done: list[int] = []
        left = set(range(columns))
        row, column = start, _NONE
        while True:
            nearest = _NONE
            for other in left:
                cost = -weights[row][other] - row_price[row] - column_price[other]
                if cost < slack[other]:
                    slack[other], before[other] = cost, column
                if nearest == _NONE or (slack[other], other) < (slack[nearest], nearest):
                    nearest = other
            step = slack[nearest]
            row_price[start] += step
            for other in done:
                row_price[row_of[other]] += step
                column_price[other] -= step
            for other in left:
                slack[other] -= step
            left.remove(nearest)
            done.append(nearest)
            column = nearest
            row = row_of[column]
            if row == _NONE:
                break
        while column != _NONE:
            previous = before[column]
            row_of[column] = start if previous == _NONE else row_of[previous]
            column = previous
    return row_of
