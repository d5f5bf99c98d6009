"""``invocation_duration_v1``: how long the agent took to answer."""

from __future__ import annotations

import math

from adjudge.model import Invocation
from adjudge.plugin import (
    CaseUnderTest,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    NoConfig,
    Outcome,
    hookimpl,
)


class InvocationDuration:
    """Seconds from the user's message to the final response (ADK ``invocation_duration_v1``).

    A turn without a recorded duration is not applicable. If the agent also reports the seconds spent waiting
    for models and inside tools, the details have these, and the remainder as the framework's own time.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one duration per turn."""
        return Measurement(per_invocation=tuple(_duration(turn) for turn in case.actual.invocations))


def _duration(turn: Invocation) -> Outcome:
    if turn.duration is None:
        return Outcome.not_applicable("the turn was not timed")
    details: dict[str, float] = {}
    if turn.model_duration is not None:
        details["model_seconds"] = turn.model_duration
    if turn.tool_duration is not None:
        details["tool_seconds"] = turn.tool_duration
    if turn.model_duration is not None and turn.tool_duration is not None:
        # The two clocks stop at slightly different moments, so a remainder just below zero is zero.
        details["framework_seconds"] = max(turn.duration - turn.model_duration - turn.tool_duration, 0.0)
    reason = f"The turn took {turn.duration:.3g} seconds."
    return Outcome.scored(turn.duration, reason, details=dict(details))


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return InvocationDuration()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="invocation_duration_v1",
            summary="Seconds per turn, from the message to the final response",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
