"""Shows steps of a run as recorded, truncated to the available budget, and lists what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import spread
from adjudge.model import Passage
from adjudge_plugins.ai_judge.run_text import RunMaterial, fair_share

LEAST_SHOWN: Final = 100
"""The minimum tokens of a shortened step; below that fewer steps are shown, since a line would say as much."""

_ENOUGH: Final = 160
"""The tokens per step by which the number of shown steps is computed."""

_OF_AN_ERROR: Final = 60
"""The tokens of an error or of one of the last steps if there are many; a judge can request more of a step it sees."""

_FIRST: Final = 2
_LAST: Final = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """Steps as a judge sees them."""

    passages: tuple[Passage, ...]
    """The steps as recorded, the longest ones shortened if necessary."""
    steps: tuple[int, ...]
    """The steps that are shown, at least in part."""
    lines: str = ""
    """One line per step of the run; empty if no step is left out."""
    hidden: tuple[int, ...] = ()
    """The steps that are shortened or left out."""


def shown(steps: Sequence[int], material: RunMaterial, room: int, first: Sequence[int] = ()) -> Shown:
    """Show the steps within ``room`` tokens.

    If they do not fit, all long steps are shortened to one length. If that leaves too little of each, every
    step gets a line, and only the most informative steps are shown: the last ones, errors, the first ones,
    and others at even distances. The very last step gets up to a quarter of the room.

    Args:
        steps: The step numbers, in order.
        material: The run.
        room: The token limit for the passages and ``lines`` together.
        first: Steps with priority, the most important first.
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
    if others and others[-1] == steps[-1]:  # the end is more informative than any other step
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
    """As many steps as fit, in order. The last steps and errors are given less room than others."""
    errors = [step for step in steps if material.failed(step)]
    kept = dict.fromkeys([*reversed(steps[-_LAST:]), *steps[:_FIRST], *spread(errors)])
    most = max(1, room // _ENOUGH, min(len(kept), room // _OF_AN_ERROR))
    wanted = set(list(kept | dict.fromkeys(spread(steps)))[:most])
    return [step for step in steps if step in wanted]
