"""One turn after another of a case, each measured on its own and all at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.invocation import Invocation
from adjudge.model.measurement import Measurement, Outcome


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
    case: CaseUnderTest, measure: Callable[[TurnUnderTest], Awaitable[Outcome]]
) -> Measurement:
    """One outcome for every turn. An exception of one turn ends the others, and comes out."""
    import asyncio

    tasks = [
        asyncio.ensure_future(
            measure(TurnUnderTest(case=case, position=position, actual=actual, expected=expected))
        )
        for position, (actual, expected) in enumerate(case.pairs)
    ]
    try:
        return Measurement(per_invocation=tuple(await asyncio.gather(*tasks)))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
