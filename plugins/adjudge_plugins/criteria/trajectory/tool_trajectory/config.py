"""Options of ``tool_trajectory_avg_score``."""

from __future__ import annotations

from pydantic import Field

from adjudge.kit.matching import CallOptions, MatchType
from adjudge.plugin import ComponentConfig


class ToolTrajectoryConfig(CallOptions, ComponentConfig):
    """ADK's ``ToolTrajectoryCriterion``, and how arguments are compared beyond it."""

    match_type: MatchType = Field(default=MatchType.EXACT, alias="matchType")
    """``EXACT``, ``IN_ORDER`` or ``ANY_ORDER``, in any of ADK's spellings."""
