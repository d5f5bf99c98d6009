"""``custom_metric``: a metric function that was written for ADK's ``custom_metrics``."""

from __future__ import annotations

import math

from adjudge.plugin import Criterion, CriterionSpec, Host, hookimpl
from adjudge_plugins.criteria.custom_metric.config import CustomMetricConfig


def _make(config: CustomMetricConfig, host: Host) -> Criterion:
    from adjudge_plugins.criteria.custom_metric.criterion import CustomMetric

    return CustomMetric(config, host)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="custom_metric",
            summary="A metric function of your own, named under ADK's custom_metrics",
            factory=_make,
            config=CustomMetricConfig,
            simulated_conversations=True,
            runs_named_code=True,
            measures_custom_metrics=True,
            value_range=(-math.inf, math.inf),
        )
    ]
