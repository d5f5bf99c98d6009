"""``invocation_duration_v1``: how long the agent took to answer."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.usage.invocation_duration.criterion import InvocationDuration

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
