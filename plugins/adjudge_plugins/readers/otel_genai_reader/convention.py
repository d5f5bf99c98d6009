"""Reads a span with the GenAI conventions, including the additions of ADK and Traceloop.

Names: OpenTelemetry's semantic conventions for GenAI spans, agent spans and events (status
"development"; what instrumentations write differs by version), google-adk ``telemetry/tracing.py``.
"""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject, Usage
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.otel_genai_reader import adk
from adjudge_plugins.readers.otel_genai_reader.events import EVENTS, messages_of_events
from adjudge_plugins.readers.otel_genai_reader.messages import instructions_of, messages_of

_MODEL: Final = frozenset({"chat", "text_completion", "generate_content"})
_AGENT: Final = frozenset({"invoke_agent", "create_agent", "invoke_workflow"})
_WORKFLOW: Final = frozenset({"workflow", "agent", "task"})
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_KEPT: Final = (
    "gen_ai.response.id",
    "gen_ai.response.finish_reasons",
    "gen_ai.request.temperature",
    "gen_ai.request.top_p",
    "gen_ai.request.seed",
    "gen_ai.request.max_tokens",
    "gen_ai.request.top_k",
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.presence_penalty",
    "gen_ai.request.stop_sequences",
)
_COUNTS: Final = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    "total_tokens": ("gen_ai.usage.total_tokens",),
    "cached_tokens": ("gen_ai.usage.cache_read.input_tokens",),
    "reasoning_tokens": ("gen_ai.usage.reasoning_tokens", "gen_ai.usage.reasoning.output_tokens"),
}


_READ: Final = frozenset(
    {
        *("gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.agent.id", "gen_ai.conversation.id"),
        *("gen_ai.system", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model"),
        *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"),
        *("gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.id"),
        *("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.tool.definitions"),
        *("traceloop.span.kind", "error.type"),
        *_KEPT,
        *(name for names in _COUNTS.values() for name in names),
        *adk.READ,
    }
)
_LISTS: Final = ("gen_ai.prompt.", "gen_ai.completion.")
_EVENTS: Final = frozenset({_DETAILS, *EVENTS})


def tell(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    """Read one span; ``None`` if it is not about a model, a tool or an agent."""
    told = _told(span, notes)
    if told is not None:
        notes.lose_others(span, _READ, _LISTS, _EVENTS)
    elif span.attributes and not adk.is_merged(span):
        notes.losses.add("a span that is of no model, tool or agent")
    return told


def _told(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    operation = span.text("gen_ai.operation.name")
    if operation in _MODEL or adk.is_model_call(span) or "gen_ai.prompt.0.role" in span.attributes:
        return _model_call(span, notes)
    if operation == "execute_tool":
        return _tool_run(span, notes)
    if operation in _AGENT or span.text("traceloop.span.kind") in _WORKFLOW:
        return _agent_run(span, notes)
    return None


def _model_call(span: spans.Span, notes: spans.Notes) -> spans.ModelCall:
    told = _content(span)
    inputs, outputs = (
        messages_of(told.get(name), name, notes)
        for name in ("gen_ai.input.messages", "gen_ai.output.messages")
    )
    if not inputs and not outputs:
        inputs, outputs = adk.messages_of_call(span, notes)
    if not inputs and not outputs:
        inputs, outputs = messages_of_events(span, notes)
    return spans.ModelCall(
        inputs=inputs,
        outputs=outputs,
        instructions=instructions_of(told.get("gen_ai.system_instructions"), notes.losses)
        or adk.instructions(span),
        tools=_tools(told.get("gen_ai.tool.definitions")) or adk.tools(span),
        agent=span.text("gen_ai.agent.name"),
        model=span.text("gen_ai.response.model", "gen_ai.request.model"),
        usage=_usage(span),
        extra={name: value for name in _KEPT if (value := span.attributes.get(name)) is not None} or None,
    )


def _tool_run(span: spans.Span, notes: spans.Notes) -> spans.ToolRun | None:
    if adk.is_merged(span):
        return None  # the merged results of parallel calls, which have their own spans
    name = span.text("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    attributes = span.attributes
    args, raw = logs.arguments_of(
        next(
            (attributes[key] for key in ("gen_ai.tool.call.arguments", adk.ARGUMENTS) if key in attributes),
            None,
        )
    )
    result_key = next((key for key in ("gen_ai.tool.call.result", adk.RESPONSE) if key in attributes), None)
    result = attributes.get(result_key or "")
    if result_key == adk.RESPONSE:
        result, _ = spans.json_of(result)
    return spans.ToolRun(
        name=name,
        call_id=span.text("gen_ai.tool.call.id"),
        args=args,
        raw_args=raw,
        has_result=result_key is not None,
        result=logs.without_blobs(result, notes.losses),
    )


def _agent_run(span: spans.Span, notes: spans.Notes) -> spans.AgentRun:
    told = _content(span)
    return spans.AgentRun(
        name=span.text("gen_ai.agent.name"),
        inputs=messages_of(told.get("gen_ai.input.messages"), "gen_ai.input.messages", notes),
        outputs=messages_of(told.get("gen_ai.output.messages"), "gen_ai.output.messages", notes),
        instructions=instructions_of(told.get("gen_ai.system_instructions"), notes.losses),
        tools=_tools(told.get("gen_ai.tool.definitions")),
    )


def _content(span: spans.Span) -> JsonObject:
    """The attributes of the span and of its details event, which may hold the content instead."""
    details = next((event.attributes for event in span.events if event.name == _DETAILS), None)
    return {**(details or {}), **span.attributes}


def _tools(value: Any) -> tuple[Any, ...]:
    tools, _ = spans.json_of(value)
    return tuple(logs.list_of(tools))


def _usage(span: spans.Span) -> Usage | None:
    found = {
        ours: next((count for name in theirs if (count := _count(span, name)) is not None), None)
        for ours, theirs in _COUNTS.items()
    }
    counted = {name: count for name, count in found.items() if count is not None}
    return Usage.model_validate(counted) if counted else None


def _count(span: spans.Span, name: str) -> int | None:
    value = span.attributes.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
