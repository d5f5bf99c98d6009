"""Step numbers: the log's own where they can name a step, else positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from adjudge.model.step import Step


def with_numbers(steps: Sequence[Step], own: Sequence[object], *, key: str) -> tuple[Step, ...]:
    """The steps, numbered so that a number names one: own numbers where all are whole, increasing and at least 1.

    Otherwise every step gets its position from 1 and keeps the number of the log in ``extra``.

    Args:
        steps: The steps of a trajectory, in order.
        own: What the log gives as the number of each; ``None`` where it gives none.
        key: Under which name the log gives it.
    """
    numbers = [number for number in own if isinstance(number, int) and not isinstance(number, bool)]
    is_usable = (
        len(numbers) == len(steps)
        and all(number >= 1 for number in numbers[:1])
        and all(left < right for left, right in pairwise(numbers))
    )
    if is_usable:
        return tuple(
            step if step.number == number else step.model_copy(update={"number": number})
            for step, number in zip(steps, numbers, strict=True)
        )
    numbered: list[Step] = []
    for position, (step, number) in enumerate(zip(steps, own, strict=True), 1):
        extra = step.extra if number is None else {**(step.extra or {}), key: number}
        numbered.append(step.model_copy(update={"number": position, "extra": extra}))
    return tuple(numbered)
