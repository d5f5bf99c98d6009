"""The turns of a case, each measured on its own and all at the same time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.invocation import Invocation
from adjudge.model.measurement import Measurement, Outcome

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUnderTest:
    """One turn of a case, with the case around it."""

    case: CaseUnderTest
    position: int
    """From 0."""
    actual: Invocation
    expected: Invocation | None
    """``None`` in a conversation that a simulated user led."""

    @property
    def earlier(self) -> tuple[Invocation, ...]:
        """What happened before this turn."""
        return self.case.actual.invocations[: self.position]


async def turn_by_turn(
    case: CaseUnderTest, measure: Callable[[TurnUnderTest], Coroutine[Any, Any, Outcome]]
) -> Measurement:
    """One outcome for every turn. An exception of one turn ends the others, and comes out."""
    turns = (
        TurnUnderTest(case=case, position=position, actual=actual, expected=expected)
        for position, (actual, expected) in enumerate(case.pairs)
    )
    return Measurement(per_invocation=await together(map(measure, turns)))


async def together(parts: Iterable[Coroutine[Any, Any, ResultT]]) -> tuple[ResultT, ...]:
    """What all parts give, done at the same time. An exception of one ends the others, and comes out."""
    import asyncio

    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return tuple(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
