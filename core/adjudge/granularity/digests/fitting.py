"""Lines of steps inside a budget of tokens: errors and the last steps stay, and nothing is cut at the head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from adjudge.granularity.digests.facts import error_of
from adjudge.granularity.digests.lines import WIDTHS, StepParts, Widths, parts_of
from adjudge.granularity.digests.tokens import clipped_to_tokens, tokens_of
from adjudge.model.step import Step

_LAST: Final = 3
"""Steps at the end that are kept before all others."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an encoding: a step, or steps in a row that share one line for want of room."""

    label: str
    """``Step 4``, or ``Steps 5-48``."""
    steps: tuple[int, ...]
    """Their numbers."""
    text: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"


def fitted_lines(steps: Sequence[Step], token_budget: int | None = None) -> tuple[Line, ...]:
    """A line for every step, in order, with at most ``token_budget`` tokens in all.

    Where it is too much, the parts of ordinary lines are cut in their middles, then those of errors, of
    the first and of the last steps. Where the narrowest lines are still too many, steps in a row share one
    that counts their actions; the last steps, the first and the errors keep lines of their own longest, and
    what else keeps one is spread evenly. Every step stays in exactly one line.
    """
    parts = parts_of(steps)
    numbers = [step.number for step in steps]
    important = _important(steps)

    def lines_at(wide: Widths, narrow: Widths) -> tuple[Line, ...]:
        return tuple(
            Line(f"Step {number}", (number,), part.line(wide if at in important else narrow))
            for at, (number, part) in enumerate(zip(numbers, parts, strict=True))
        )

    if token_budget is None:
        return lines_at(WIDTHS[0], WIDTHS[0])
    for wide, narrow in chain(
        ((WIDTHS[0], narrow) for narrow in WIDTHS), ((wide, WIDTHS[-1]) for wide in WIDTHS[1:])
    ):
        lines = lines_at(wide, narrow)
        if _cost(lines) <= token_budget:
            return lines
    return _shared(steps, parts, important, token_budget)


def digest(steps: Sequence[Step], token_budget: int | None = None) -> str:
    """Steps as text, for somebody who reads about them: the lines of ``fitted_lines``."""
    return "\n".join(map(str, fitted_lines(steps, token_budget)))


def _important(steps: Sequence[Step]) -> dict[int, None]:
    """Positions that are kept longest, the most important first."""
    errors = [at for at, step in enumerate(steps) if error_of(step) is not None]
    last = range(len(steps) - 1, max(len(steps) - 1 - _LAST, -1), -1)
    return dict.fromkeys(chain(last, range(min(1, len(steps))), _spread(errors)))


def _shared(
    steps: Sequence[Step], parts: Sequence[StepParts], important: dict[int, None], budget: int
) -> tuple[Line, ...]:
    """As many lines of single steps as there is room for, and the rest in lines that they share."""
    order = [*important, *_spread([at for at in range(len(steps)) if at not in important])]

    def lines_with(alone: int) -> tuple[Line, ...]:
        return tuple(_with_shared_lines(steps, parts, frozenset(order[:alone])))

    alone = _most(len(steps), lambda count: _cost(lines_with(count)) <= budget)
    lines = lines_with(alone)
    if alone or len(lines) != 1:
        return lines
    [only] = lines
    return (
        Line(only.label, only.steps, clipped_to_tokens(only.text, budget - tokens_of(f"{only.label}: "))),
    )


def _with_shared_lines(
    steps: Sequence[Step], parts: Sequence[StepParts], alone: frozenset[int]
) -> Iterator[Line]:
    together: list[Step] = []
    for at, step in enumerate(steps):
        if at not in alone:
            together.append(step)
            continue
        if together:
            yield _shared_line(together)
            together = []
        yield Line(f"Step {step.number}", (step.number,), parts[at].line(WIDTHS[-1]))
    if together:
        yield _shared_line(together)


def _shared_line(steps: Sequence[Step]) -> Line:
    numbers = tuple(step.number for step in steps)
    label = f"Step {numbers[0]}" if len(numbers) == 1 else f"Steps {numbers[0]}-{numbers[-1]}"
    told = [actions_counted(steps) or "no calls"]
    if failed := sum(error_of(step) is not None for step in steps):
        told.append(f"{failed} with errors")
    return Line(label, numbers, f"[{'; '.join(told)}]")


def actions_counted(steps: Sequence[Step], most: int = 3) -> str:
    """The tools that were called most, with how often: ``click x30, fill x14``; empty where none was."""
    counted = Counter(call.name[:40] for step in steps for call in step.calls)
    named = [f"{name} x{times}" if times > 1 else name for name, times in counted.most_common(most)]
    return ", ".join(named) + (f" and {len(counted) - most} more" if len(counted) > most else "")


def _cost(lines: Sequence[Line]) -> int:
    return tokens_of("\n".join(map(str, lines)))


def _most(highest: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``highest`` that fits, where a smaller one fits too; 0 where none does."""
    low = 0
    while low < highest:
        middle = (low + highest + 1) // 2
        low, highest = (middle, highest) if fits(middle) else (low, middle - 1)
    return low


def _spread(positions: Sequence[int]) -> list[int]:
    """The positions in an order of which every beginning is spread evenly: the van der Corput sequence."""
    bits = max(len(positions) - 1, 1).bit_length()
    ranks = sorted(range(len(positions)), key=lambda rank: int(f"{rank:0{bits}b}"[::-1], 2))
    return [positions[rank] for rank in ranks]
