"""Everything that a plugin imports.

A plugin is one module and one line under ``[project.entry-points.adjudge]``. The module marks
functions with ``@hookimpl.<hook>`` that return specs; a spec's factory makes the component.
Nothing else of adjudge is promised to stay.
"""

from adjudge import reporting
from adjudge.errors import AdjudgeError, AgentError, InputError, PluginError, Problem, did_you_mean
from adjudge.extension.configuration import ComponentConfig, NoConfig
from adjudge.extension.events import CaseFinished, CaseStarted, CriterionScored, RunFinished, RunStarted
from adjudge.extension.hookspecs import hookimpl
from adjudge.extension.protocols import (
    AgentAdapter,
    AgentSession,
    AggregationContext,
    AskJudge,
    CaseFacts,
    ChecksPlan,
    Closeable,
    Criterion,
    Emit,
    Fingerprinted,
    GranularityStrategy,
    Host,
    JudgeBackend,
    ReadOptions,
    ReportedCase,
    Reporter,
    RunReport,
    SessionRequest,
    Source,
    TraceReader,
)
from adjudge.extension.specs import (
    API_VERSION,
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    JudgeBackendSpec,
    Need,
    ReporterSpec,
    TraceReaderSpec,
)
from adjudge.extension.threads import handover
from adjudge.formats.adk_case import case_from_adk, case_to_adk
from adjudge.formats.adk_content import content_from_adk, content_to_adk
from adjudge.formats.adk_invocation import invocation_from_adk, invocation_to_adk
from adjudge.formats.eval_set_file import read_eval_cases
from adjudge.formats.json_input import JsonStream
from adjudge.formats.openai_messages import answer_of, step_from_openai, usage_from_openai
from adjudge.model.aggregated import AggregatedSteps, Cluster
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import ConversationScenario, EvalCase, EvalSet, SessionInput
from adjudge.model.invocation import AgentDetails, AppDetails, Invocation, Rubric
from adjudge.model.items import (
    Blob,
    Claim,
    Content,
    ErrorItem,
    Item,
    Observation,
    Opaque,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge.model.judging import JudgeMessage, JudgeReply, JudgeRequest
from adjudge.model.measurement import Absence, Citation, Evidence, Failure, Measurement, Outcome
from adjudge.model.result import (
    CaseResult,
    CriterionResult,
    CriterionSummary,
    InvocationResult,
    RepeatedCase,
    RepeatedCriterion,
    RunInfo,
    RunSummary,
    Status,
    Verdict,
)
from adjudge.model.step import Step, Usage
from adjudge.model.trajectory import Trajectory, numbered

__all__ = [
    "API_VERSION",
    "Absence",
    "AdjudgeError",
    "AgentAdapter",
    "AgentAdapterSpec",
    "AgentDetails",
    "AgentError",
    "AgentSession",
    "AggregatedSteps",
    "AggregationContext",
    "AppDetails",
    "AskJudge",
    "Blob",
    "CaseFacts",
    "CaseFinished",
    "CaseResult",
    "CaseStarted",
    "CaseUnderTest",
    "ChecksPlan",
    "Citation",
    "Claim",
    "Closeable",
    "Cluster",
    "ComponentConfig",
    "Content",
    "ConversationScenario",
    "Criterion",
    "CriterionResult",
    "CriterionScored",
    "CriterionSpec",
    "CriterionSummary",
    "Emit",
    "ErrorItem",
    "EvalCase",
    "EvalSet",
    "Evidence",
    "Failure",
    "Fingerprinted",
    "GranularityStrategy",
    "GranularityStrategySpec",
    "Host",
    "InputError",
    "Invocation",
    "InvocationResult",
    "Item",
    "JsonObject",
    "JsonStream",
    "JsonValue",
    "JudgeBackend",
    "JudgeBackendSpec",
    "JudgeMessage",
    "JudgeReply",
    "JudgeRequest",
    "Measurement",
    "Need",
    "NoConfig",
    "Observation",
    "Opaque",
    "Outcome",
    "PluginError",
    "Problem",
    "ReadOptions",
    "RepeatedCase",
    "RepeatedCriterion",
    "ReportedCase",
    "Reporter",
    "ReporterSpec",
    "Rubric",
    "RunFinished",
    "RunInfo",
    "RunReport",
    "RunStarted",
    "RunSummary",
    "SessionInput",
    "SessionRequest",
    "Source",
    "Status",
    "Step",
    "Text",
    "ToolCall",
    "ToolResult",
    "TraceReader",
    "TraceReaderSpec",
    "Trajectory",
    "Usage",
    "Verdict",
    "answer_of",
    "case_from_adk",
    "case_to_adk",
    "content_from_adk",
    "content_to_adk",
    "did_you_mean",
    "handover",
    "hookimpl",
    "invocation_from_adk",
    "invocation_to_adk",
    "numbered",
    "read_eval_cases",
    "reporting",
    "step_from_openai",
    "usage_from_openai",
]
