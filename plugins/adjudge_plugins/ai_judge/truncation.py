"""Showing: steps of a run as they were recorded, as far as there is room; what is left out is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import spread
from adjudge.model import Passage
from adjudge_plugins.ai_judge.run_text import RunMaterial, fair_share

LEAST_SHOWN: Final = 100
"""Tokens below which a shortened step says no more than its line does: then fewer steps are shown."""

_ENOUGH: Final = 160
"""Tokens that a step should have where a choice is made anyway."""

_OF_AN_ERROR: Final = 60
"""Tokens of an error and of an end where there are many. It can be asked for, if it is seen at all."""

_FIRST: Final = 2
_LAST: Final = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """Steps as a judge reads them."""

    passages: tuple[Passage, ...]
    """As they were recorded, the longest shortened where there is too little room."""
    steps: tuple[int, ...]
    """Those of which anything is among the passages."""
    lines: str = ""
    """A line about every step; empty where none is left out."""
    hidden: tuple[int, ...] = ()
    """Those that are shortened or left out."""


def shown(steps: Sequence[int], material: RunMaterial, room: int, first: Sequence[int] = ()) -> Shown:
    """The steps within ``room`` tokens.

    Where they do not fit, all long ones are shortened alike. Where that would leave too little of each, a line
    tells of every step, and those that say most are shown: the last ones, errors, the first ones, and
    others evenly spread. The very last has a quarter of the room where it needs it.

    Args:
        steps: Their numbers, in order.
        material: The run.
        room: Tokens of the passages and ``lines`` together.
        first: Steps that have room before all others, the most wanted first.
    """
    if sum(map(material.cost, steps)) <= room:
        return Shown(material.places.passages(steps), tuple(steps))
    given: dict[int, int] = {}
    lines, left = "", room
    for step in first:
        if left < room // 4:
            break
        given[step] = left * 3 // 4
        left -= min(material.cost(step), given[step])
    others = [step for step in steps if step not in given]
    if others and others[-1] == steps[-1]:  # how it ended says more than any other step
        end = others.pop()
        given[end] = max(left // 4, left - sum(map(material.cost, others)))
        left -= min(material.cost(end), given[end])
    if others and _share(others, material, left) < LEAST_SHOWN:
        lines = material.lines(steps, left // 3)
        left -= left // 3
        others = _most_telling(others, material, left)
    given |= dict.fromkeys(others, _share(others, material, left))
    return Shown(
        tuple(passage for step in steps if step in given for passage in material.passages(step, given[step])),
        tuple(step for step in steps if step in given),
        lines,
        tuple(step for step in steps if material.cost(step) > given.get(step, 0)),
    )


def _share(steps: Sequence[int], material: RunMaterial, room: int) -> int:
    return fair_share([material.cost(step) for step in steps], room)


def _most_telling(steps: Sequence[int], material: RunMaterial, room: int) -> list[int]:
    """As many steps as there is room for, in order. Ends and errors do with less than others."""
    errors = [step for step in steps if material.failed(step)]
    kept = dict.fromkeys([*reversed(steps[-_LAST:]), *steps[:_FIRST], *spread(errors)])
    most = max(1, room // _ENOUGH, min(len(kept), room // _OF_AN_ERROR))
    wanted = set(list(kept | dict.fromkeys(spread(steps)))[:most])
    return [step for step in steps if step in wanted]
