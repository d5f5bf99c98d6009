"""What adjudge asks of every criterion and of every judge backend."""

from __future__ import annotations

from pathlib import Path

import pytest
from loopback_google import Google

from adjudge.plugin import Host
from adjudge.testing import CriterionConformance, FakeHost, JudgeBackendConformance


class _OnLoopback(CriterionConformance):
    @pytest.fixture(autouse=True)
    def _google(self, google: Google) -> None:
        self.environment = google.environment
        google.answer = {"metricResults": [{"score": 1.0, "explanation": "good"}]}

    def host(self, folder: Path) -> Host:
        return FakeHost(folder, environment=self.environment)


class TestSafety(_OnLoopback):
    component = "vertex/safety"


class TestCoherence(_OnLoopback):
    component = "vertex/coherence"


class TestTaskSuccess(_OnLoopback):
    component = "vertex/multi_turn_task_success"


class TestTrajectoryQuality(_OnLoopback):
    component = "vertex/multi_turn_trajectory_quality"


class TestToolUseQuality(_OnLoopback):
    component = "vertex/multi_turn_tool_use_quality"


class TestJudge(JudgeBackendConformance):
    component = "vertex/vertex"
