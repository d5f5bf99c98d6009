"""Packing: which steps of a run go into one question, so that the run fits into few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adjudge_plugins.ai_judge.run_text import RunMaterial
from adjudge_plugins.ai_judge.truncation import LEAST_SHOWN


def packed(
    groups: Sequence[Sequence[int]], material: RunMaterial, room: int, most: int | None = None
) -> list[tuple[int, ...]]:
    """Neighbouring groups of steps put together to parts.

    A group that fits into a part is never torn. Where there is no limit, what is more than ``room`` is a
    single step. Otherwise steps count only so much that there are half as many parts as are allowed, or, where
    that would leave too little of them, as many as are allowed: what is too long is shortened when it is shown.

    Args:
        groups: Step numbers that belong together, in order.
        material: The run.
        room: Tokens of one part.
        most: The most parts; ``None``: as many as it takes to show every step as it was recorded.
    """
    counted = room
    for limit in () if most is None else ((most + 1) // 2, most):
        counted = _most_counted(groups, material, room, limit)
        if counted >= LEAST_SHOWN:
            break
    return _packed(groups, material, room, counted)


def _most_counted(groups: Sequence[Sequence[int]], material: RunMaterial, room: int, most: int) -> int:
    """The most tokens that a step may count, so that there are at most so many parts."""
    if len(_packed(groups, material, room, room)) <= most:
        return room
    low, high = 1, room - 1
    while low < high:
        middle = (low + high + 1) // 2
        fits = len(_packed(groups, material, room, middle)) <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _packed(
    groups: Iterable[Sequence[int]], material: RunMaterial, room: int, cap: int
) -> list[tuple[int, ...]]:
    parts: list[list[int]] = []
    used = 0
    for group in groups:
        costs = [min(material.cost(step), cap) for step in group]
        is_torn = sum(costs) > room
        pieces = (
            zip(costs, ([step] for step in group), strict=True) if is_torn else [(sum(costs), list(group))]
        )
        for cost, steps in pieces:
            if parts and used + cost <= room:
                parts[-1] += steps
                used += cost
            else:
                parts.append(steps)
                used = cost
    return [tuple(sorted(part)) for part in parts]


def groups_of(step_mapping: Mapping[str, Sequence[int]], steps: Sequence[int]) -> list[tuple[int, ...]]:
    """The groups of a strategy's mapping in the order of the run; what it leaves out is a group of its own."""
    known = set(steps)
    groups: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for label_steps in step_mapping.values():
        group = tuple(step for step in dict.fromkeys(label_steps) if step in known and step not in taken)
        if group:
            groups.append(group)
            taken.update(group)
    rest = tuple(step for step in steps if step not in taken)
    return sorted([*groups, *([rest] if rest else [])])
