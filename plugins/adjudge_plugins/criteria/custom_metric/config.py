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
    """The metric function, as ``package.module.function``."""
    metric_name: str | None = None
    """The name of the metric that the function receives; unset: the name of the function."""
    threshold: float | None = None
    """The threshold that the function receives. The verdict uses the threshold of the criterion."""
    metric_info: JsonObject | None = None
    """ADK's ``MetricInfo``; not used."""
    description: str = ""
    """A description for people; not used."""
