"""``invalid_arguments``: whether the arguments of calls satisfy the declarations of their tools."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trace.invalid_arguments.criterion import InvalidArguments

    return InvalidArguments()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="invalid_arguments",
            summary="Calls whose arguments do not satisfy the declaration of the tool",
            factory=_make,
            simulated_conversations=True,
            value_range=(0.0, math.inf),
            lower_is_better=True,
        )
    ]
