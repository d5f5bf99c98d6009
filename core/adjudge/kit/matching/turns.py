"""Measures a case with a function that compares the calls of one turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.items import ToolCall
from adjudge.model.measurement import Measurement, Outcome

_LARGE: Final = 2_500
"""The number of pairs of calls above which comparing all of them may take a tenth of a second."""


def is_large(case: CaseUnderTest) -> bool:
    """Whether comparing the calls of a turn is so slow that it should run in a thread."""
    return any(
        expected is not None and len(expected.tool_calls) * len(actual.tool_calls) > _LARGE
        for actual, expected in case.pairs
    )


def per_turn(
    case: CaseUnderTest, outcome: Callable[[Sequence[ToolCall], Sequence[ToolCall]], Outcome]
) -> Measurement:
    """Measure each turn with ``outcome``, a function of its expected and its actual calls.

    If the expected turn contains no data about tools (``intermediate_data: null``), no calls are expected, as in ADK.
    Turns of a simulated conversation have no expectation, and are not applicable.
    """
    return Measurement(
        per_invocation=tuple(
            Outcome.not_applicable("There are no expected calls in a simulated conversation.")
            if expected is None
            else outcome(expected.tool_calls, actual.tool_calls)
            for actual, expected in case.pairs
        )
    )
