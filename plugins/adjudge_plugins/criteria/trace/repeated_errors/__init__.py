"""``repeated_errors``: whether the agent ran into the same error again."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trace.repeated_errors.criterion import RepeatedErrors

    return RepeatedErrors()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="repeated_errors",
            summary="Errors that the run had already shown before",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
