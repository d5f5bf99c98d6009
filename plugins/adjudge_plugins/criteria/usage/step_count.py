"""``step_count``: how many steps a run took."""

from __future__ import annotations

import math

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


class StepCount:
    """The number of steps in all turns of a run; the log defines what a step is. Not applicable without any."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case."""
        steps = case.actual.steps
        if not steps:
            return Measurement(overall=Outcome.not_applicable("no step was recorded"))
        first, last = steps[0].number, steps[-1].number
        where = f"step {first}" if len(steps) == 1 else f"steps {first} to {last}"
        turns = [len(turn.steps) for turn in case.actual.invocations]
        return Measurement(
            overall=Outcome.scored(
                float(len(steps)),
                where,
                details={"first": first, "last": last, "per_turn": turns},
            )
        )


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return StepCount()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="step_count",
            summary="Steps of the run",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
