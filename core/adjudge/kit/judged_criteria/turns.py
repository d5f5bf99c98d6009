"""Measures the turns of a case, each separately and all in parallel."""

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
    """One turn of a case, with its case."""

    case: CaseUnderTest
    position: int
    """The index of the turn, from 0."""
    actual: Invocation
    expected: Invocation | None
    """``None`` in a conversation with a simulated user."""

    @property
    def earlier(self) -> tuple[Invocation, ...]:
        """The turns before this one."""
        return self.case.actual.invocations[: self.position]


async def turn_by_turn(
    case: CaseUnderTest, measure: Callable[[TurnUnderTest], Coroutine[Any, Any, Outcome]]
) -> Measurement:
    """Measure all turns in parallel. An exception of one turn cancels the others and is raised."""
    turns = (
        TurnUnderTest(case=case, position=position, actual=actual, expected=expected)
        for position, (actual, expected) in enumerate(case.pairs)
    )
    return Measurement(per_invocation=await together(map(measure, turns)))


async def together(parts: Iterable[Coroutine[Any, Any, ResultT]]) -> tuple[ResultT, ...]:
    """Await coroutines in parallel, and return their results. An exception of one cancels the others and is raised."""
    import asyncio

    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return tuple(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
