"""Options of ``trajectory_precision``."""

from __future__ import annotations

from adjudge.kit.matching import CallOptions
from adjudge.plugin import ComponentConfig


class TrajectoryPrecisionConfig(CallOptions, ComponentConfig):
    """How calls are compared."""
