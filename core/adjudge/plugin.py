"""Everything that a plugin imports.

A plugin is one module and one line under ``[project.entry-points.adjudge]``. The module marks
functions with ``@hookimpl.<hook>`` that return specs; a spec's factory makes the component.
Nothing else of adjudge is promised to stay.
"""

from adjudge.errors import (
    AdjudgeError,
    AgentError,
    InputError,
    JudgeError,
    JudgeErrorCode,
    Problem,
    UnavailableError,
    did_you_mean,
)
from adjudge.extension.configuration import ComponentConfig, NoConfig
from adjudge.extension.home_folder import home, make_folder
from adjudge.extension.hooks import (
    CaseFinished,
    CaseStarted,
    CriterionScored,
    RunFinished,
    RunStarted,
    hookimpl,
)
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import (
    AggregationContext,
    GranularityStrategy,
    Judge,
    JudgeBackend,
    Recording,
    SupportsModelCheck,
    SupportsModelIdentity,
    SupportsRateLimit,
    SupportsRecordedCalls,
    Writer,
)
from adjudge.extension.judge_use import judge_use
from adjudge.extension.protocols import (
    AgentAdapter,
    AgentSession,
    CaseFacts,
    Criterion,
    Emit,
    Host,
    ReadOptions,
    ReportedCase,
    Reporter,
    RunReport,
    SessionRequest,
    Source,
    SupportsClose,
    SupportsFingerprint,
    SupportsPlanCheck,
    SupportsPlanNotes,
    SupportsPreparation,
    SupportsRecordedUser,
    SupportsSiblings,
    SupportsTogether,
    TraceReader,
    UserSimulator,
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
    UserSimulatorSpec,
)
from adjudge.extension.tables import show_fields, show_table
from adjudge.extension.terminal import say, say_json
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.trajectory import Trajectory

__all__ = [
    "API_VERSION",
    "AdjudgeError",
    "AgentAdapter",
    "AgentAdapterSpec",
    "AgentError",
    "AgentSession",
    "AggregatedSteps",
    "AggregationContext",
    "CaseFacts",
    "CaseFinished",
    "CaseStarted",
    "CaseUnderTest",
    "ComponentConfig",
    "Criterion",
    "CriterionScored",
    "CriterionSpec",
    "Emit",
    "GranularityStrategy",
    "GranularityStrategySpec",
    "Host",
    "InputError",
    "Judge",
    "JudgeBackend",
    "JudgeBackendSpec",
    "JudgeError",
    "JudgeErrorCode",
    "JudgeModelOptions",
    "JudgeReply",
    "JudgeRequest",
    "Measurement",
    "Need",
    "NoConfig",
    "Outcome",
    "Problem",
    "ReadOptions",
    "Recording",
    "ReportedCase",
    "Reporter",
    "ReporterSpec",
    "RunFinished",
    "RunReport",
    "RunStarted",
    "SessionRequest",
    "Source",
    "SupportsClose",
    "SupportsFingerprint",
    "SupportsModelCheck",
    "SupportsModelIdentity",
    "SupportsPlanCheck",
    "SupportsPlanNotes",
    "SupportsPreparation",
    "SupportsRateLimit",
    "SupportsRecordedCalls",
    "SupportsRecordedUser",
    "SupportsSiblings",
    "SupportsTogether",
    "TraceReader",
    "TraceReaderSpec",
    "Trajectory",
    "UnavailableError",
    "UserSimulator",
    "UserSimulatorSpec",
    "Writer",
    "did_you_mean",
    "home",
    "hookimpl",
    "judge_use",
    "make_folder",
    "say",
    "say_json",
    "show_fields",
    "show_table",
]
