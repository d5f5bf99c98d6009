"""Step numbers: the log's own where they can name a step, else positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from adjudge.model.step import Step

_LONGEST: Final = 18
"""Digits of a number that is written as a text. No log has more steps."""


def with_numbers(steps: Sequence[Step], own: Sequence[object], *, key: str) -> tuple[Step, ...]:
    """The steps, numbered so that a number names one: own numbers where all are whole, increasing and at least 1.

    A number may be written as a text or with a point: ``"3"`` and ``3.0`` are 3.

    Otherwise every step gets its position from 1 and keeps the number of the log in ``extra``.

    Args:
        steps: The steps of a trajectory, in order.
        own: What the log gives as the number of each; ``None`` where it gives none.
        key: Under which name the log gives it.
    """
    numbers = [number for value in own if (number := _whole(value)) is not None]
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
    for position, (step, given) in enumerate(zip(steps, own, strict=True), 1):
        extra = step.extra if given is None else {**(step.extra or {}), key: given}
        numbered.append(step.model_copy(update={"number": position, "extra": extra}))
    return tuple(numbered)


def _whole(value: object) -> int | None:
    """The whole number that a value is; ``None`` where it is none."""
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str():
            text = value.strip()
            return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST else None
        case _:
            return None
