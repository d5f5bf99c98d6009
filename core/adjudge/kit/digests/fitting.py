"""Fits lines of steps into a budget of tokens: keeps errors and the last steps, and never truncates the beginning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from adjudge.kit.digests.facts import error_of
from adjudge.kit.digests.lines import WIDTHS, Widths, parts_of
from adjudge.kit.digests.texts import in_line
from adjudge.kit.trace import is_thought
from adjudge.model.step import Step
from adjudge.model.tokens import clipped_to_tokens, tokens_of, tokens_shown

_LAST: Final = 3
"""The number of steps at the end that count as the most important."""


_LEAST_COST: Final = 10
"""The minimum number of tokens of a line: its label and its brackets."""

_FROM_WIDE_TO_NARROW: Final = (
    *((WIDTHS[0], narrow) for narrow in WIDTHS),
    *((wide, WIDTHS[-1]) for wide in WIDTHS[1:-1]),
)
"""The widths of important and of ordinary lines, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text: a step, or consecutive steps that share a line because the budget is too small."""

    label: str
    """``Step 4``, or ``Steps 5-48``."""
    steps: tuple[int, ...]
    """The numbers of its steps."""
    text: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"


def fitted_lines(steps: Sequence[Step], token_budget: int | None = None) -> tuple[Line, ...]:
    """Create lines for all steps, in order, with at most ``token_budget`` tokens in total.

    If the budget is too small, the parts of ordinary lines are shortened in the middle; then those of important lines:
    of errors, of the first step and of the last steps. If this is not enough, consecutive steps share a line that
    counts their actions. The last steps, the first step and errors are the last to share a line; the other steps with
    their own line are spread evenly. Every step is in exactly one line.
    """
    run = _Run(steps)
    if token_budget is None:
        return run.lines(WIDTHS[0], WIDTHS[0])
    if _cost(run.lines(WIDTHS[-1], WIDTHS[-1])) > token_budget:
        return run.shared_lines(token_budget)
    for wide, narrow in _FROM_WIDE_TO_NARROW:
        lines = run.lines(wide, narrow)
        if _cost(lines) <= token_budget:
            return lines
    return run.lines(WIDTHS[-1], WIDTHS[-1])


def digest(steps: Sequence[Step], token_budget: int | None = None) -> str:
    """The lines of ``fitted_lines`` as one text, for a model that writes summaries."""
    return "\n".join(map(str, fitted_lines(steps, token_budget)))


class _Run:
    """Steps to summarise, with the facts computed once for each."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._parts = parts_of(steps)
        self._failed = [error_of(step) is not None for step in steps]
        self._called: list[list[str]] = []
        errors = [at for at, failed in enumerate(self._failed) if failed]
        last = range(len(steps) - 1, max(len(steps) - 1 - _LAST, -1), -1)
        self._important = dict.fromkeys(chain(last, range(min(1, len(steps))), spread(errors)))
        """The positions of important steps, the most important first."""

    def lines(self, wide: Widths, narrow: Widths) -> tuple[Line, ...]:
        """One line per step; those of important steps have the wider width."""
        return tuple(
            self._line(at, wide if at in self._important else narrow) for at in range(len(self._steps))
        )

    def shared_lines(self, budget: int) -> tuple[Line, ...]:
        """As many lines of single steps as fit into the budget; the other steps share lines."""
        self._called = [_called(step) for step in self._steps]
        others = spread([at for at in range(len(self._steps)) if at not in self._important])
        order = [*self._important, *others]

        def lines_with(alone: int) -> tuple[Line, ...]:
            return tuple(self._partly_shared(frozenset(order[:alone])))

        alone = _most(
            min(len(order), budget // _LEAST_COST), lambda count: _cost(lines_with(count)) <= budget
        )
        lines = lines_with(alone)
        if alone:
            return lines
        [only] = lines
        room = budget - tokens_of(f"{only.label}: ")
        return (Line(only.label, only.steps, clipped_to_tokens(only.text, room)),)

    def _partly_shared(self, alone: frozenset[int]) -> Iterator[Line]:
        start = 0
        for at in chain(sorted(alone), [len(self._steps)]):
            if start < at:
                yield self._shared_line(start, at)
            if at < len(self._steps):
                yield self._line(at, WIDTHS[-1])
            start = at + 1

    def _line(self, at: int, widths: Widths) -> Line:
        number = self._steps[at].number
        return Line(f"Step {number}", (number,), self._parts[at].line(widths))

    def _shared_line(self, start: int, end: int) -> Line:
        numbers = tuple(step.number for step in self._steps[start:end])
        label = f"Step {numbers[0]}" if len(numbers) == 1 else f"Steps {numbers[0]}-{numbers[-1]}"
        told = [_counted(self._called[start:end]) or "no calls"]
        if failed := sum(self._failed[start:end]):
            told.append(f"{failed} with errors")
        return Line(label, numbers, f"[{'; '.join(told)}]")


def actions_counted(steps: Sequence[Step], most: int = 3) -> str:
    """The most frequently called tools with their counts: ``click x30, fill x14``; empty if there are no calls."""
    return _counted(map(_called, steps), most)


def _called(step: Step) -> list[str]:
    return [in_line(call.name, 40) for call in step.calls if not is_thought(call.name)]


def _counted(called: Iterable[Sequence[str]], most: int = 3) -> str:
    counted = Counter(chain.from_iterable(called))
    named = [f"{name} x{times}" if times > 1 else name for name, times in counted.most_common(most)]
    return ", ".join(named) + (f" and {len(counted) - most} more" if len(counted) > most else "")


def _cost(lines: Sequence[Line]) -> int:
    return tokens_shown("\n".join(map(str, lines)))


def _most(highest: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``highest`` that fits, by binary search; 0 if none does."""
    low = 0
    while low < highest:
        middle = (low + highest + 1) // 2
        low, highest = (middle, highest) if fits(middle) else (low, middle - 1)
    return low


def spread(positions: Sequence[int]) -> list[int]:
    """Order positions so that every prefix is spread evenly over them: the van der Corput sequence."""
    bits = max(len(positions) - 1, 1).bit_length()
    ranks = sorted(range(len(positions)), key=lambda rank: int(f"{rank:0{bits}b}"[::-1], 2))
    return [positions[rank] for rank in ranks]
