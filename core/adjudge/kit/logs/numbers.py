"""Step numbers: those of the log if they are unique, else positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from adjudge.model.step import Step

_LONGEST: Final = 18
"""The maximum number of digits of a step number that is written as a text."""


def with_numbers(steps: Sequence[Step], own: Sequence[object], *, key: str) -> tuple[Step, ...]:
    """Number steps uniquely: with the log's numbers if all are integers, increasing and at least 1.

    Otherwise every step gets its position from 1, and the log's number is stored in ``extra``. Numbers may be written
    as texts or with a decimal point: ``"3"`` and ``3.0`` are 3.

    Args:
        steps: The steps of a trajectory, in order.
        own: The log's number of each step; ``None`` if it has none.
        key: The name of the number in the log, used in ``extra``.
    """
    positions = list(range(1, len(steps) + 1))
    if own == positions and set(map(type, own)) == {int} and [step.number for step in steps] == positions:
        return tuple(steps)  # fast path
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
    """Convert a value to an integer; ``None`` if it is not one."""
    if type(value) is int:  # fast path
        return value
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
