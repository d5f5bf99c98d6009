"""``action_cycles``: whether the agent went round in circles."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trace.action_cycles.criterion import ActionCycles

    return ActionCycles()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="action_cycles",
            summary="Actions in the longest stretch that goes round in a cycle",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
