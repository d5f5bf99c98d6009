"""Options of ``trajectory_edit_similarity``."""

from __future__ import annotations

from adjudge.kit.matching import CallOptions
from adjudge.plugin import ComponentConfig


class TrajectoryEditSimilarityConfig(CallOptions, ComponentConfig):
    """How calls are compared."""

    partial_credit: bool = False
    """A call of the right tool counts by the share of arguments that are right."""
