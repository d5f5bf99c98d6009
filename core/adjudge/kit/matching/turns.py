"""From a way to compare the calls of one turn to the measurement of a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.items import ToolCall
from adjudge.model.measurement import Measurement, Outcome

_LARGE: Final = 2_500
"""Pairs of an expected and an actual call: comparing them all may take a tenth of a second."""


def is_large(case: CaseUnderTest) -> bool:
    """Whether comparing the calls of a turn takes so long that others should not have to wait for it."""
    return any(
        expected is not None and len(expected.tool_calls) * len(actual.tool_calls) > _LARGE
        for actual, expected in case.pairs
    )


def per_turn(
    case: CaseUnderTest, outcome: Callable[[Sequence[ToolCall], Sequence[ToolCall]], Outcome]
) -> Measurement:
    """One outcome per turn, from its expected and its actual calls.

    A turn whose expected turn says nothing of tools (``intermediate_data: null``) expects none, as in ADK.
    Turns of a simulated conversation, which expect nothing at all, are not applicable.
    """
    return Measurement(
        per_invocation=tuple(
            Outcome.not_applicable("There are no expected calls in a simulated conversation.")
            if expected is None
            else outcome(expected.tool_calls, actual.tool_calls)
            for actual, expected in case.pairs
        )
    )
