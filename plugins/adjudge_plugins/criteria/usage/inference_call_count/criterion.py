"""Counts model calls."""

from __future__ import annotations

from collections import Counter

from adjudge.kit.trace import counted
from adjudge.plugin import CaseUnderTest, Invocation, JsonObject, Measurement, Outcome


class InferenceCallCount:
    """Model calls of a turn (ADK ``inference_call_count_v1``): its steps that report a model or token usage.

    A turn in which no step reports either is not applicable: how often it asked a model is not known.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count per turn."""
        return Measurement(per_invocation=tuple(_count(turn) for turn in case.actual.invocations))


def _count(turn: Invocation) -> Outcome:
    calls = [step for step in turn.steps if step.usage is not None or step.model is not None]
    if not calls:
        return Outcome.not_applicable("no step reports a model or its token usage")
    models = Counter(step.model for step in calls if step.model is not None)
    reason = counted(len(calls), "model call")
    if models:
        reason += f" of {', '.join(models)}"
    details: JsonObject | None = {"models": dict(models)} if models else None
    return Outcome.scored(float(len(calls)), f"{reason}.", details=details)
