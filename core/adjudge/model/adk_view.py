"""Read-only views of the model with ADK's attribute names.

Metric functions written for ADK read ``part.text``, ``part.function_call.args`` and
``invocation.intermediate_data.tool_uses``. These views provide these attributes without google-adk. Sources of the
names: google-adk ``evaluation/eval_case.py`` and google-genai ``types.Part``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.model.items import Blob, Claim, Content, Item, Opaque, Text, ToolCall, ToolResult

if TYPE_CHECKING:
    from adjudge.model.invocation import Invocation
    from adjudge.model.step import Usage


@dataclass(frozen=True, slots=True)
class FunctionCallView:
    """ADK ``FunctionCall``."""

    name: str
    args: dict[str, Any] | None
    id: str | None


@dataclass(frozen=True, slots=True)
class FunctionResponseView:
    """ADK ``FunctionResponse``."""

    name: str | None
    response: Any
    id: str | None


@dataclass(frozen=True, slots=True)
class BlobView:
    """ADK ``Blob`` and ``FileData``."""

    mime_type: str | None
    data: str | None
    file_uri: str | None


@dataclass(frozen=True, slots=True)
class PartView:
    """ADK ``Part``. At most one of its fields is set, besides ``thought``."""

    text: str | None = None
    thought: bool | None = None
    function_call: FunctionCallView | None = None
    function_response: FunctionResponseView | None = None
    inline_data: BlobView | None = None
    file_data: BlobView | None = None
    executable_code: Any = None
    code_execution_result: Any = None


@dataclass(frozen=True, slots=True)
class IntermediateDataView:
    """ADK ``IntermediateData``."""

    tool_uses: list[FunctionCallView] = field(default_factory=list[FunctionCallView])
    tool_responses: list[FunctionResponseView] = field(default_factory=list[FunctionResponseView])
    intermediate_responses: list[tuple[str, list[PartView]]] = field(
        default_factory=list[tuple[str, list[PartView]]]
    )


@dataclass(frozen=True, slots=True)
class InvocationEventView:
    """ADK ``InvocationEvent``."""

    author: str
    content: Content | None
    usage_metadata: Usage | None
    model_version: str | None


@dataclass(frozen=True, slots=True)
class InvocationEventsView:
    """ADK ``InvocationEvents``."""

    invocation_events: list[InvocationEventView] = field(default_factory=list[InvocationEventView])


def _call(item: ToolCall) -> FunctionCallView:
    return FunctionCallView(name=item.name, args=item.args, id=item.id)


def _response(item: ToolResult) -> FunctionResponseView:
    return FunctionResponseView(name=item.name, response=item.value, id=item.call_id)


def part_view(item: Item) -> PartView:
    """Convert an item to the form of ADK's ``Part``. An item without a field in ADK becomes an empty part."""
    match item:
        case Text():
            return PartView(text=item.text)
        case Claim():
            return PartView(text=item.text, thought=True)
        case ToolCall():
            return PartView(function_call=_call(item))
        case ToolResult():
            return PartView(function_response=_response(item))
        case Blob():
            blob = BlobView(mime_type=item.mime_type, data=item.data, file_uri=item.uri)
            return PartView(file_data=blob) if item.data is None else PartView(inline_data=blob)
        case Opaque(name="executable_code"):
            return PartView(executable_code=item.value)
        case Opaque(name="code_execution_result"):
            return PartView(code_execution_result=item.value)
        case _:
            return PartView()


def intermediate_view(invocation: Invocation) -> IntermediateDataView | InvocationEventsView | None:
    """The steps of a turn in the ADK form of their file; for other sources as ``IntermediateData``."""
    if invocation.form is None and not invocation.steps:
        return None
    if invocation.form == "invocation_events":
        return InvocationEventsView(
            [
                InvocationEventView(
                    author=step.author or "",
                    content=Content(role=step.role, items=step.items),
                    usage_metadata=step.usage,
                    model_version=step.model,
                )
                for step in invocation.own_steps
            ]
        )
    return IntermediateDataView(
        tool_uses=[_call(call) for call in invocation.tool_calls],
        tool_responses=[_response(result) for result in invocation.tool_results],
        intermediate_responses=[
            (step.author or "", [part_view(item) for item in step.items])
            for step in invocation.own_steps
            if step.form == "intermediate_response" or (step.form is None and step.text)
        ],
    )
