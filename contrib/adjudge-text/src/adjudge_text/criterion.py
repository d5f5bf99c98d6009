"""Criteria that apply one comparison: to a response and its reference, or to the response only."""

from __future__ import annotations

from collections.abc import Callable

from adjudge.model import Invocation
from adjudge.plugin import CaseUnderTest, Measurement, Outcome


class AgainstReference:
    """Compares each final response with its reference; turns without one are not applicable."""

    def __init__(self, compare: Callable[[str, str], Outcome]) -> None:
        self._compare = compare

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn."""
        return Measurement(
            per_invocation=tuple(self._outcome(actual, expected) for actual, expected in case.pairs)
        )

    def _outcome(self, actual: Invocation, expected: Invocation | None) -> Outcome:
        reference = _answer(expected) if expected is not None else ""
        if not reference.strip():
            return Outcome.not_applicable("the turn has no reference response")
        return self._compare(_answer(actual), reference)


class OfResponse:
    """Looks at each final response alone."""

    def __init__(self, look: Callable[[str], Outcome]) -> None:
        self._look = look

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn."""
        return Measurement(
            per_invocation=tuple(self._look(_answer(turn)) for turn in case.actual.invocations)
        )


def _answer(turn: Invocation) -> str:
    return turn.final_response.text if turn.final_response is not None else ""
