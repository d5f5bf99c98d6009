"""The data model: frozen classes without I/O and without plugins.

All data that plugins exchange with adjudge are instances of these classes. They are pydantic models that cannot be
changed after construction; ``model_copy(update=...)`` makes a changed copy. JSON objects inside them (arguments,
state, details) are plain dictionaries and must be treated as read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adjudge.model.aggregated import AggregatedSteps, Cluster, TaskDecomposition
    from adjudge.model.base import JsonObject, JsonValue
    from adjudge.model.case_under_test import CaseUnderTest
    from adjudge.model.eval_set import (
        ConversationScenario,
        EvalCase,
        EvalSet,
        SessionInput,
        UserBehavior,
        UserPersona,
    )
    from adjudge.model.evaluation import (
        AppliedCalibration,
        CheckResult,
        EvaluationResult,
        GranularityChoice,
        VotedVerdict,
        WordedCriterion,
    )
    from adjudge.model.evidence import Absence, Citation, Evidence, Failure, UnsureCode
    from adjudge.model.invocation import AgentDetails, AppDetails, Invocation, Rubric
    from adjudge.model.items import (
        Blob,
        Claim,
        ClaimField,
        Content,
        ErrorItem,
        Item,
        Observation,
        Opaque,
        Text,
        ToolCall,
        ToolResult,
    )
    from adjudge.model.judging import (
        Choice,
        Decision,
        Exhibit,
        FinishReason,
        JudgedItem,
        JudgeMessage,
        JudgeReply,
        JudgeRequest,
        JudgeUse,
        Passage,
        Prompt,
        Question,
        RateLimit,
        Vote,
        Votes,
    )
    from adjudge.model.measurement import Measurement, Outcome, RubricScore
    from adjudge.model.result import (
        CaseResult,
        CriterionInfo,
        CriterionResult,
        CriterionSummary,
        EvalSetInfo,
        InvocationResult,
        JudgeCalls,
        LogInfo,
        LogsInfo,
        Participant,
        RepeatedCase,
        RepeatedCriterion,
        RunInfo,
        RunSummary,
        SimulatorInfo,
    )
    from adjudge.model.simulation import SimulatedConversation, Simulation, UserTurn
    from adjudge.model.step import Step, Usage, total_usage
    from adjudge.model.trajectory import Trajectory, numbered
    from adjudge.model.verdict import Status, Verdict

_MODULES: Final = {
    "aggregated": "AggregatedSteps Cluster TaskDecomposition",
    "base": "JsonObject JsonValue",
    "case_under_test": "CaseUnderTest",
    "eval_set": "ConversationScenario EvalCase EvalSet SessionInput UserBehavior UserPersona",
    "evaluation": "AppliedCalibration CheckResult EvaluationResult GranularityChoice VotedVerdict WordedCriterion",
    "evidence": "Absence Citation Evidence Failure UnsureCode",
    "invocation": "AgentDetails AppDetails Invocation Rubric",
    "items": "Blob Claim ClaimField Content ErrorItem Item Observation Opaque Text ToolCall ToolResult",
    "judging": "Choice Decision Exhibit FinishReason JudgedItem JudgeMessage JudgeReply JudgeRequest JudgeUse Passage Prompt Question RateLimit Vote Votes",
    "measurement": "Measurement Outcome RubricScore",
    "result": "CaseResult CriterionInfo CriterionResult CriterionSummary EvalSetInfo InvocationResult JudgeCalls LogInfo LogsInfo Participant RepeatedCase RepeatedCriterion RunInfo RunSummary SimulatorInfo",
    "simulation": "SimulatedConversation Simulation UserTurn",
    "step": "Step total_usage Usage",
    "trajectory": "numbered Trajectory",
    "verdict": "Status Verdict",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "Absence",
    "AgentDetails",
    "AggregatedSteps",
    "AppDetails",
    "AppliedCalibration",
    "Blob",
    "CaseResult",
    "CaseUnderTest",
    "CheckResult",
    "Choice",
    "Citation",
    "Claim",
    "ClaimField",
    "Cluster",
    "Content",
    "ConversationScenario",
    "CriterionInfo",
    "CriterionResult",
    "CriterionSummary",
    "Decision",
    "ErrorItem",
    "EvalCase",
    "EvalSet",
    "EvalSetInfo",
    "EvaluationResult",
    "Evidence",
    "Exhibit",
    "Failure",
    "FinishReason",
    "GranularityChoice",
    "Invocation",
    "InvocationResult",
    "Item",
    "JsonObject",
    "JsonValue",
    "JudgeCalls",
    "JudgeMessage",
    "JudgeReply",
    "JudgeRequest",
    "JudgeUse",
    "JudgedItem",
    "LogInfo",
    "LogsInfo",
    "Measurement",
    "Observation",
    "Opaque",
    "Outcome",
    "Participant",
    "Passage",
    "Prompt",
    "Question",
    "RateLimit",
    "RepeatedCase",
    "RepeatedCriterion",
    "Rubric",
    "RubricScore",
    "RunInfo",
    "RunSummary",
    "SessionInput",
    "SimulatedConversation",
    "Simulation",
    "SimulatorInfo",
    "Status",
    "Step",
    "TaskDecomposition",
    "Text",
    "ToolCall",
    "ToolResult",
    "Trajectory",
    "UnsureCode",
    "Usage",
    "UserBehavior",
    "UserPersona",
    "UserTurn",
    "Verdict",
    "Vote",
    "VotedVerdict",
    "Votes",
    "WordedCriterion",
    "numbered",
    "total_usage",
]


def __getattr__(name: str) -> object:
    """Import a class at its first use, so that a command that needs one class does not import all."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"adjudge.model.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'adjudge.model' has no attribute {name!r}")
