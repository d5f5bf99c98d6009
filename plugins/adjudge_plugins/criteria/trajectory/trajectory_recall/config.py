"""Options of ``trajectory_recall``."""

from __future__ import annotations

from adjudge.kit.matching import CallOptions
from adjudge.plugin import ComponentConfig


class TrajectoryRecallConfig(CallOptions, ComponentConfig):
    """How calls are compared."""
