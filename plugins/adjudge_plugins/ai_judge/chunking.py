"""Packs the steps of a run into as few requests as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adjudge_plugins.ai_judge.run_text import RunMaterial
from adjudge_plugins.ai_judge.truncation import LEAST_SHOWN


def packed(
    groups: Sequence[Sequence[int]], material: RunMaterial, room: int, most: int | None = None
) -> list[tuple[int, ...]]:
    """Join neighbouring groups of steps to parts that fit into a request.

    A group that fits into a part is never split. Without a limit of parts, only a single long step can exceed
    ``room``. With a limit, long steps are counted with a capped size, because they are shortened when shown.
    The cap is chosen for half the allowed number of parts, or for all of it if the steps would be shortened
    too much.

    Args:
        groups: Step numbers that belong together, in order.
        material: The run.
        room: The tokens of one part.
        most: The maximum number of parts; ``None``: no limit, and every step is shown as recorded.
    """
    counted = room
    for limit in () if most is None else ((most + 1) // 2, most):
        counted = _most_counted(groups, material, room, limit)
        if counted >= LEAST_SHOWN:
            break
    return _packed(groups, material, room, counted)


def _most_counted(groups: Sequence[Sequence[int]], material: RunMaterial, room: int, most: int) -> int:
    """The cap on the size of a step, in tokens, that keeps the number of parts within ``most``."""
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
    """The groups in a strategy's mapping, in the order of the run; omitted steps form groups of their own."""
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
