"""Options of ``per_turn_user_simulator_quality_v1``."""

from __future__ import annotations

from pydantic import Field

from adjudge.kit.judged_criteria import JudgedConfig
from adjudge.kit.user_simulation import STOP_SIGNAL


class UserSimulatorQualityConfig(JudgedConfig):
    """Options of ``per_turn_user_simulator_quality_v1`` (ADK ``LlmBackedUserSimulatorCriterion``)."""

    stop_signal: str = Field(default=STOP_SIGNAL, min_length=1)
    """The text with which the simulator ends the conversation."""
