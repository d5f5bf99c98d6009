"""From places where sub-tasks may begin to the few at which they do."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from adjudge_plugins.ai_judge.boundaries import Boundary


def most_clusters(steps: int) -> int:
    """The most sub-tasks that a run of this length is divided into: the square root of its steps, rounded up.

    Sub-tasks and the steps of each grow alike then, so that neither a list of summaries nor one sub-task
    becomes too long to look at: 6 of 30 steps, 18 of 300, 55 of 3,000.
    """
    return math.isqrt(max(steps - 1, 0)) + 1


def chosen(boundaries: Sequence[Boundary], steps: int) -> list[Boundary]:
    """The boundaries that remain, in order, when the weakest are given up until the budget is kept.

    What a boundary is worth is its strength times the harmonic mean of the lengths of its two neighbours, as
    in Ward's clustering: single steps join a neighbour before two long sub-tasks become one.
    """
    kept = list(boundaries)
    positions = [0, *(boundary.position for boundary in kept), steps]
    before = list(range(-1, len(positions) - 1))
    after = list(range(1, len(positions) + 1))

    def worth(at: int) -> float:
        left = positions[at] - positions[before[at]]
        right = positions[after[at]] - positions[at]
        return kept[at - 1].strength * 2 * left * right / (left + right)

    heap = [(worth(at), at) for at in range(1, len(positions) - 1)]
    heapq.heapify(heap)
    alive = {at: value for value, at in heap}
    surplus = len(kept) - (most_clusters(steps) - 1)
    while heap and surplus > 0:
        value, at = heapq.heappop(heap)
        if alive.get(at) != value:
            continue  # its neighbours have changed since
        del alive[at]
        after[before[at]], before[after[at]] = after[at], before[at]
        for neighbour in (before[at], after[at]):
            if neighbour in alive:
                alive[neighbour] = worth(neighbour)
                heapq.heappush(heap, (alive[neighbour], neighbour))
        surplus -= 1
    return [kept[at - 1] for at in sorted(alive)]
