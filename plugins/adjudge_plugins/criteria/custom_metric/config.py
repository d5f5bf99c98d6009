"""Options of ``custom_metric``."""

from __future__ import annotations

from typing import ClassVar

from pydantic import ConfigDict

from adjudge.model import JsonObject
from adjudge.plugin import ComponentConfig


class CustomMetricConfig(ComponentConfig):
    """Options of ``custom_metric``. Further keys are the function's own: it finds them in its criterion."""

    model_config = ConfigDict(extra="allow")
    hands_on_extras: ClassVar[bool] = True

    function: str
    """Where the function is: ``package.module.function``."""
    metric_name: str | None = None
    """What the function is told that its metric is called; its own name where nothing is said."""
    threshold: float | None = None
    """What the function is told that its threshold is. The core decides by the threshold of the entry."""
    metric_info: JsonObject | None = None
    """ADK's ``MetricInfo``: kept, and used for nothing."""
    description: str = ""
    """What the metric is about, in words: kept, and used for nothing."""
