"""For plugin authors: a manager that discovers nothing, fakes, fake distributions and conformance classes.

Nothing here is imported by a run. The conformance classes are collected by pytest, and need no
pytest themselves.
"""

from adjudge.testing.conformance import (
    AgentAdapterConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
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
