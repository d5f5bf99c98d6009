"""Selects the boundaries of sub-tasks from the candidates."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from adjudge_plugins.ai_judge.boundaries import Boundary


def most_clusters(steps: int) -> int:
    """The maximum number of sub-tasks for a run of this length: the square root of the number of steps, rounded up.

    So the number of sub-tasks and their length grow equally, and neither a list of summaries nor a single
    sub-task becomes too long: 6 for 30 steps, 18 for 300, 55 for 3,000.
    """
    return math.isqrt(max(steps - 1, 0)) + 1


def chosen(boundaries: Sequence[Boundary], steps: int) -> list[Boundary]:
    """Remove the weakest boundaries until at most ``most_clusters`` sub-tasks remain.

    The weight of a boundary is its strength times the harmonic mean of the lengths of the sub-tasks on both
    sides, as in Ward's clustering: a single step is merged with its neighbour before two long sub-tasks are
    merged.
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
            continue  # outdated: a neighbour was removed and the weight recomputed
        del alive[at]
        after[before[at]], before[after[at]] = after[at], before[at]
        for neighbour in (before[at], after[at]):
            if neighbour in alive:
                alive[neighbour] = worth(neighbour)
                heapq.heappush(heap, (alive[neighbour], neighbour))
        surplus -= 1
    return [kept[at - 1] for at in sorted(alive)]
