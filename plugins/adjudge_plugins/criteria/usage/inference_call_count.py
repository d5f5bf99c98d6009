"""``inference_call_count_v1``: how often the agent called its model."""

from __future__ import annotations

import math
from collections import Counter

from adjudge.kit.trace import counted
from adjudge.model import Invocation, JsonObject
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


class InferenceCallCount:
    """Model calls of a turn (ADK ``inference_call_count_v1``): its steps that report a model or token usage.

    A turn in which no step reports either is not applicable: its number of model calls is unknown.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count per turn."""
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


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return InferenceCallCount()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="inference_call_count_v1",
            summary="Model calls per turn",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
