"""``unknown_tools``: whether the agent called tools that it does not have."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trace.unknown_tools.criterion import UnknownTools

    return UnknownTools()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="unknown_tools",
            summary="Calls of tools that are not declared",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
