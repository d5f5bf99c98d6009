"""Parts: which recorded steps a judge is shown at a time, so that no request exceeds its budget.

Code chooses, so that nothing that a run says of itself can hide a step. Errors and the ends of a run are
always among what is shown; what does not fit is cut in the middle of a field, never at the head of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from adjudge.granularity.digests import clipped_to_tokens, tokens_of
from adjudge.granularity.evidence import Places

_LEAST: Final = 40
"""Tokens below which a step says nothing any more: then fewer steps are shown instead."""

_FIRST: Final = 2
_LAST: Final = 5


def packed(groups: Iterable[Sequence[int]], places: Places, room: int) -> list[tuple[int, ...]]:
    """Neighbouring groups of steps put together while they fit; a group is never torn.

    Args:
        groups: Step numbers that belong together, in order.
        places: The run.
        room: Tokens of one part.
    """
    parts: list[tuple[int, ...]] = []
    used = 0
    for group in groups:
        size = tokens_of(places.exhibit(group))
        if parts and used + size <= room:
            parts[-1] = (*parts[-1], *group)
            used += size
        else:
            parts.append(tuple(group))
            used = size
    return parts


def fitted(steps: Sequence[int], places: Places, room: int) -> str:
    """The steps as a judge reads them, within ``room`` tokens."""
    whole = places.exhibit(steps)
    if tokens_of(whole) <= room:
        return whole
    shown = _chosen(steps, places, max(1, room // _LEAST))
    left_out = len(steps) - len(shown)
    each = room // (len(shown) + 1)
    texts = [clipped_to_tokens(places.exhibit([step]), each) for step in shown]
    if left_out:
        texts.append(f"({left_out} of these {len(steps)} steps are not shown)")
    return "\n".join(texts)


def _chosen(steps: Sequence[int], places: Places, most: int) -> list[int]:
    """At most ``most`` steps: errors and ends first, the rest evenly spread."""
    if len(steps) <= most:
        return list(steps)
    ends = [*steps[:_FIRST], *steps[-_LAST:]]
    errors = [step for step in steps if "error" in places.of(step)]
    wanted = list(dict.fromkeys([*steps[-1:], *ends, *errors]))[:most]
    free = most - len(wanted)
    others = [step for step in steps if step not in set(wanted)]
    spread = [others[position * len(others) // free] for position in range(free)] if free else []
    return sorted({*wanted, *spread})


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
