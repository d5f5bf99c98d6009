"""Options of ``trajectory_single_tool_use``."""

from __future__ import annotations

from pydantic import Field

from adjudge.plugin import ComponentConfig


class TrajectorySingleToolUseConfig(ComponentConfig):
    """Which tool is looked for."""

    tool_name: str = Field(min_length=1)
    """The exact name."""
