"""``step_count``: how many steps a run took."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.usage.step_count.criterion import StepCount

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
