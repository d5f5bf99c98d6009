"""The JSON result format, version 2.0: the classes of the model, with additional data for a case.

A minor version adds keys and removes none; a major version may change anything. Every key is always present.
Numbers are finite. The published JSON schema is generated from these classes, and the writer serialises them.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from adjudge.kit.evaluation import decomposition_of, evaluated, views_of
from adjudge.model import (
    AggregatedSteps,
    CaseResult,
    CriterionResult,
    Invocation,
    JsonObject,
    RunInfo,
    RunSummary,
    Step,
    TaskDecomposition,
    ToolCall,
)
from adjudge.plugin import ReportedCase

SCHEMA_VERSION: Final = "2.0"


class _Shown(BaseModel):
    """Base class of the rows that the model has no class for. The classes define the schema; the writer uses dicts."""

    model_config = ConfigDict(defer_build=True)


class ExpectedCall(_Shown):
    """A tool call that the eval set expects."""

    name: str
    args: JsonObject | None


class ActualCall(_Shown):
    """A tool call that the agent made."""

    step: int
    """The number of the step with the call; evidence cites steps by number."""
    name: str
    args: JsonObject | None
    id: str | None
    """``None`` if the agent gives none."""
    raw_args: str | None
    """The arguments as the agent wrote them, if they are not a JSON object."""


class NestedCall(ActualCall):
    """A tool call by an agent that another agent had called as a tool."""

    parent_call_id: str | None
    """The ``id`` of the call to the nested agent; empty if it is unknown."""


class Turn(_Shown):
    """One turn: the user's message, the expected and the actual behaviour."""

    invocation_id: str
    """The turn's id in the eval set, or the agent's id if the eval set has none."""
    prompt: str
    expected_response: str | None
    """``None`` if the eval set has none."""
    actual_response: str | None
    """``None`` if the agent gave none."""
    expected_calls: tuple[ExpectedCall, ...] | None
    """``None`` in a simulated conversation, which has no expected turns."""
    actual_calls: tuple[ActualCall, ...] | None
    """``None`` if the turn did not take place."""
    nested_calls: tuple[NestedCall, ...] = ()
    """Calls by agents that were called as tools. No criterion compares them."""


NOT_SHOWN: Final = {"criteria": {"__all__": {"task_decomposition", "aggregated_steps"}}}
"""Fields of a criterion that are shown once in its case instead."""


class CriterionRow(CriterionResult):
    """One criterion on one repeat of one case, or on one run in a log."""

    task_decomposition: TaskDecomposition | None = Field(default=None, exclude=True)
    """It is shown in the case."""
    aggregated_steps: tuple[AggregatedSteps, ...] = Field(default=(), exclude=True)
    """They are shown in the case."""


class CaseRow(CaseResult):
    """One repeat of one case, or one run in a log."""

    eval_set_id: str | None  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleVariableOverride]
    """``None`` for a run in a log, which belongs to no eval set."""
    eval_id: str | None  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleVariableOverride]
    """``None`` for a run in a log."""
    reader: str | None
    """The reader of the log, as ``plugin/component``; ``None`` for a case, and if no reader recognises the log."""
    criteria: tuple[CriterionRow, ...] = ()  # pyright: ignore[reportIncompatibleVariableOverride] - frozen
    task_decomposition: TaskDecomposition | None
    """The sub-tasks that AI Judge found; ``None`` if it was not used."""
    aggregated_steps: tuple[AggregatedSteps, ...]
    """The aggregated views of the run that AI Judge used, each once, in the order of use."""
    invocations: tuple[Turn, ...]
    """The turns of a case; empty for a run in a log."""


class ResultDocument(_Shown):
    """The result of one run of adjudge: of an agent over eval sets, or over logs."""

    schema_version: Literal["2.0"]
    run: RunInfo
    warnings: tuple[str, ...]
    """Problems that did not stop the run."""
    summary: RunSummary
    cases: tuple[CaseRow, ...]
    """One row per case and repeat, or per run in a log, in the order of the plan."""


def case_row(reported: ReportedCase, run: RunInfo) -> JsonObject:
    """Build a ``CaseRow`` as a dict of the model's own objects, which are neither copied nor validated again.

    ``NOT_SHOWN`` has the fields that are left out.
    """
    result = reported.result
    row: JsonObject = dict(result)
    row |= {
        "reader": None,
        "task_decomposition": decomposition_of(result),
        "aggregated_steps": views_of(result),
        "invocations": (),
    }
    if result.source is None:
        row["invocations"] = _turns(reported)
    else:
        read = None if run.logs is None else run.logs.files.get(result.source)
        planned = {} if run.logs is None else run.logs.criteria
        row |= {
            "eval_set_id": None,
            "eval_id": None,
            "reader": None if read is None else read.reader,
            "criteria": [evaluated(item, planned.get(item.criterion_name)) for item in result.criteria],
        }
    return row


def _turns(reported: ReportedCase) -> list[JsonObject]:
    """Pair expected and actual turns; the shorter list is padded with ``None``."""
    expected = reported.case.conversation or ()
    return [
        _turn(wanted, happened) for wanted, happened in zip_longest(expected, reported.actual.invocations)
    ]


def _turn(expected: Invocation | None, actual: Invocation | None) -> JsonObject:
    """Build a ``Turn``."""
    asked = expected or actual
    wanted = expected.final_response if expected else None
    answered = actual.final_response if actual else None
    return {
        "invocation_id": (expected.invocation_id if expected else "")
        or (actual.invocation_id if actual else ""),
        "prompt": asked.user_content.text if asked else "",
        "expected_response": None if wanted is None else wanted.text,
        "actual_response": None if answered is None else answered.text,
        "expected_calls": None
        if expected is None
        else [{"name": call.name, "args": call.args} for call in expected.tool_calls],
        "actual_calls": None
        if actual is None
        else [_call(step, call) for step in actual.own_steps for call in step.calls],
        "nested_calls": [
            {**_call(step, call), "parent_call_id": step.parent_call_id}
            for step in (actual.steps if actual else ())
            if step.parent_call_id is not None
            for call in step.calls
        ],
    }


def _call(step: Step, call: ToolCall) -> JsonObject:
    """Build an ``ActualCall``."""
    return {
        "step": step.number,
        "name": call.name,
        "args": call.args,
        "id": call.id,
        "raw_args": call.raw_args,
    }
