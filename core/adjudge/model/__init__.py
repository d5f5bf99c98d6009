"""The one data model: pure, frozen data, without I/O and without plugins.

Everything that crosses a border of adjudge is one of these classes. They are
pydantic models that cannot be changed after construction; ``model_copy(update=...)``
makes a changed copy. JSON objects inside them (arguments, state, details) are plain
dictionaries and must be treated as read-only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from adjudge.model.aggregated import AggregatedSteps as AggregatedSteps
    from adjudge.model.aggregated import Cluster as Cluster
    from adjudge.model.aggregated import TaskDecomposition as TaskDecomposition
    from adjudge.model.base import JsonObject as JsonObject
    from adjudge.model.base import JsonValue as JsonValue
    from adjudge.model.case_under_test import CaseUnderTest as CaseUnderTest
    from adjudge.model.eval_set import ConversationScenario as ConversationScenario
    from adjudge.model.eval_set import EvalCase as EvalCase
    from adjudge.model.eval_set import EvalSet as EvalSet
    from adjudge.model.eval_set import SessionInput as SessionInput
    from adjudge.model.evaluation import AppliedCalibration as AppliedCalibration
    from adjudge.model.evaluation import CheckResult as CheckResult
    from adjudge.model.evaluation import EvaluationResult as EvaluationResult
    from adjudge.model.evaluation import GranularityChoice as GranularityChoice
    from adjudge.model.evaluation import VotedVerdict as VotedVerdict
    from adjudge.model.evaluation import WordedCriterion as WordedCriterion
    from adjudge.model.evidence import Absence as Absence
    from adjudge.model.evidence import Citation as Citation
    from adjudge.model.evidence import Evidence as Evidence
    from adjudge.model.evidence import Failure as Failure
    from adjudge.model.evidence import UnsureCode as UnsureCode
    from adjudge.model.invocation import AgentDetails as AgentDetails
    from adjudge.model.invocation import AppDetails as AppDetails
    from adjudge.model.invocation import Invocation as Invocation
    from adjudge.model.invocation import Rubric as Rubric
    from adjudge.model.items import Blob as Blob
    from adjudge.model.items import Claim as Claim
    from adjudge.model.items import Content as Content
    from adjudge.model.items import ErrorItem as ErrorItem
    from adjudge.model.items import Item as Item
    from adjudge.model.items import Observation as Observation
    from adjudge.model.items import Opaque as Opaque
    from adjudge.model.items import Text as Text
    from adjudge.model.items import ToolCall as ToolCall
    from adjudge.model.items import ToolResult as ToolResult
    from adjudge.model.judging import Choice as Choice
    from adjudge.model.judging import Decision as Decision
    from adjudge.model.judging import Exhibit as Exhibit
    from adjudge.model.judging import FinishReason as FinishReason
    from adjudge.model.judging import JudgedItem as JudgedItem
    from adjudge.model.judging import JudgeMessage as JudgeMessage
    from adjudge.model.judging import JudgeReply as JudgeReply
    from adjudge.model.judging import JudgeRequest as JudgeRequest
    from adjudge.model.judging import JudgeUse as JudgeUse
    from adjudge.model.judging import Prompt as Prompt
    from adjudge.model.judging import Question as Question
    from adjudge.model.judging import RateLimit as RateLimit
    from adjudge.model.judging import Vote as Vote
    from adjudge.model.judging import Votes as Votes
    from adjudge.model.measurement import Measurement as Measurement
    from adjudge.model.measurement import Outcome as Outcome
    from adjudge.model.measurement import RubricScore as RubricScore
    from adjudge.model.result import CaseResult as CaseResult
    from adjudge.model.result import CriterionInfo as CriterionInfo
    from adjudge.model.result import CriterionResult as CriterionResult
    from adjudge.model.result import CriterionSummary as CriterionSummary
    from adjudge.model.result import EvalSetInfo as EvalSetInfo
    from adjudge.model.result import InvocationResult as InvocationResult
    from adjudge.model.result import JudgeCalls as JudgeCalls
    from adjudge.model.result import LogInfo as LogInfo
    from adjudge.model.result import LogsInfo as LogsInfo
    from adjudge.model.result import Participant as Participant
    from adjudge.model.result import RepeatedCase as RepeatedCase
    from adjudge.model.result import RepeatedCriterion as RepeatedCriterion
    from adjudge.model.result import RunInfo as RunInfo
    from adjudge.model.result import RunSummary as RunSummary
    from adjudge.model.simulation import SimulatedConversation as SimulatedConversation
    from adjudge.model.simulation import UserTurn as UserTurn
    from adjudge.model.step import Step as Step
    from adjudge.model.step import Usage as Usage
    from adjudge.model.trajectory import Trajectory as Trajectory
    from adjudge.model.trajectory import numbered as numbered
    from adjudge.model.verdict import Status as Status
    from adjudge.model.verdict import Verdict as Verdict

_MODULES: Final = {
    "aggregated": "AggregatedSteps Cluster TaskDecomposition",
    "base": "JsonObject JsonValue",
    "case_under_test": "CaseUnderTest",
    "eval_set": "ConversationScenario EvalCase EvalSet SessionInput",
    "evaluation": "AppliedCalibration CheckResult EvaluationResult GranularityChoice VotedVerdict WordedCriterion",
    "evidence": "Absence Citation Evidence Failure UnsureCode",
    "invocation": "AgentDetails AppDetails Invocation Rubric",
    "items": "Blob Claim Content ErrorItem Item Observation Opaque Text ToolCall ToolResult",
    "judging": "Choice Decision Exhibit FinishReason JudgedItem JudgeMessage JudgeReply JudgeRequest JudgeUse Prompt Question RateLimit Vote Votes",
    "measurement": "Measurement Outcome RubricScore",
    "result": "CaseResult CriterionInfo CriterionResult CriterionSummary EvalSetInfo InvocationResult JudgeCalls LogInfo LogsInfo Participant RepeatedCase RepeatedCriterion RunInfo RunSummary",
    "simulation": "SimulatedConversation UserTurn",
    "step": "Step Usage",
    "trajectory": "numbered Trajectory",
    "verdict": "Status Verdict",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] - all of them stand above


def __getattr__(name: str) -> object:
    """Import a class when it is asked for: a command that needs one must not pay for all."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"adjudge.model.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'adjudge.model' has no attribute {name!r}")
