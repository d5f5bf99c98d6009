"""``claim_without_observation``: whether the agent says how a step ended without having seen it."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trace.claim_without_observation.criterion import ClaimWithoutObservation

    return ClaimWithoutObservation()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="claim_without_observation",
            summary="Claims of how a step ended where nothing came back from it",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
