"""Test tools for plugin authors: a manager without discovery, fakes, fake distributions and conformance classes.

Runs do not import this package. pytest collects the conformance classes, which do not themselves need pytest.
"""

from adjudge.testing.conformance import (
    AgentAdapterConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ObserverConformance,
    ReporterConformance,
    TraceReaderConformance,
    UserSimulatorConformance,
    criterion_conformance,
)
from adjudge.testing.distributions import fake_distribution
from adjudge.testing.host import FakeHost
from adjudge.testing.judge import FakeJudge
from adjudge.testing.judge_replies import fields_shown, verdicts
from adjudge.testing.plugin_manager import as_candidate, manager
from adjudge.testing.reported_case import FinishedCase
from adjudge.testing.scripted_agent import Reply, ScriptedAgent, ScriptedSession, Turn

__all__ = [
    "AgentAdapterConformance",
    "CriterionConformance",
    "FakeHost",
    "FakeJudge",
    "FinishedCase",
    "GranularityStrategyConformance",
    "JudgeBackendConformance",
    "ObserverConformance",
    "Reply",
    "ReporterConformance",
    "ScriptedAgent",
    "ScriptedSession",
    "TraceReaderConformance",
    "Turn",
    "UserSimulatorConformance",
    "as_candidate",
    "criterion_conformance",
    "fake_distribution",
    "fields_shown",
    "manager",
    "verdicts",
]
