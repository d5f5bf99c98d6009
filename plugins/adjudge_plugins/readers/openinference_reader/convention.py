"""Reads a span with OpenInference's conventions.

Names: the OpenInference specification, "semantic conventions". LangChain's ToolMessage, which its
instrumentation writes as the output of a tool, is read too, because it has the call id.
"""

from __future__ import annotations

import re
from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject, Observation, Opaque, Text, Usage
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.openinference_reader.bodies import told_in_bodies
from adjudge_plugins.readers.openinference_reader.messages import messages_of

KIND: Final = "openinference.span.kind"
KINDS: Final = (
    *(
        "LLM",
        "TOOL",
        "AGENT",
        "CHAIN",
        "RETRIEVER",
        "EMBEDDING",
        "RERANKER",
        "GUARDRAIL",
        "EVALUATOR",
        "PROMPT",
    ),
)
_CONTAINERS: Final = frozenset({"AGENT", "CHAIN"})
_TOKENS: Final = {
    "input_tokens": "llm.token_count.prompt",
    "output_tokens": "llm.token_count.completion",
    "total_tokens": "llm.token_count.total",
    "cached_tokens": "llm.token_count.prompt_details.cache_read",
    "reasoning_tokens": "llm.token_count.completion_details.reasoning",
}
_KEPT: Final = (
    *("llm.finish_reason", "llm.provider", "llm.system", "llm.invocation_parameters"),
    "llm.cost.total",
)
_READ: Final = frozenset(
    {
        *(KIND, "agent.name", "graph.node.id", "session.id", "error.type"),
        *("input.value", "input.mime_type", "output.value", "output.mime_type"),
        *("tool.name", "tool.id", "tool_call.id", "llm.model_name", "llm.system"),
        *_TOKENS.values(),
        *_KEPT,
    }
)
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9]")
_LISTS: Final = ("llm.input_messages.", "llm.output_messages.", "llm.tools.", "retrieval.documents.")


def tell(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    """Read one span; ``None`` if it has no span kind."""
    kind = (span.text(KIND) or "").upper() or next(
        (known for known in KINDS if known == (span.kind or "").upper()), ""
    )
    if not kind and (told := told_in_bodies(span, notes)) is not None:
        return told
    if kind:
        notes.lose_others(span, _READ, _LISTS, frozenset())
    if kind == "LLM":
        return _model_call(span, notes)
    if kind == "TOOL":
        return _tool_run(span, notes)
    if kind in _CONTAINERS:
        return _agent_run(span, kind, notes)
    if kind:
        return _noted(span, kind, notes)
    if span.attributes:
        notes.losses.add("a span that has no kind of OpenInference")
    return None


def _model_call(span: spans.Span, notes: spans.Notes) -> spans.ModelCall:
    inputs, outputs = (
        messages_of(span.attributes, name, notes) for name in ("llm.input_messages", "llm.output_messages")
    )
    if not inputs and not outputs:
        inputs, outputs = _whole(span, "user"), _whole(span, "assistant")
    return spans.ModelCall(
        inputs=inputs,
        outputs=outputs,
        tools=tuple(_tool(tool) for tool in spans.unfolded(span.attributes, "llm.tools")),
        agent=span.text("agent.name"),
        model=span.text("llm.model_name"),
        usage=_usage(span),
        extra={name: value for name in _KEPT if (value := span.attributes.get(name)) is not None} or None,
    )


def _tool_run(span: spans.Span, notes: spans.Notes) -> spans.ToolRun:
    if (handed_to := span.text("output.value")) and span.name == f"handoff to {handed_to}":
        # In OpenAI's Agents SDK a handoff is a tool call of this name, which is part of the model's span.
        return spans.ToolRun(name=f"transfer_to_{_NOT_IN_NAMES.sub('_', handed_to).lower()}")
    args, raw = logs.arguments_of(span.attributes.get("input.value"))
    result = span.attributes.get("output.value")
    parsed, _ = spans.json_of(result)
    message = logs.object_of(parsed)
    call_id, content = message.get("tool_call_id"), message.get("content")
    is_message = isinstance(call_id, str) and content is not None
    return spans.ToolRun(
        name=span.text("tool.name") or span.name,
        call_id=call_id if is_message else span.text("tool_call.id", "tool.id"),
        args=args,
        raw_args=raw,
        has_result=result is not None,
        result=logs.without_blobs(content if is_message else result, notes.losses),
        extra={"status": message["status"]}
        if is_message and isinstance(message.get("status"), str)
        else None,
    )


def _agent_run(span: spans.Span, kind: str, notes: spans.Notes) -> spans.AgentRun:
    name = span.text("agent.name", "graph.node.id") or span.name
    return spans.AgentRun(
        name=name if kind == "AGENT" else None,
        said=messages_of(span.attributes, "llm.output_messages", notes),
        model=span.text("llm.model_name"),
        usage=_usage(span),
        inputs=_whole(span, "user"),
        outputs=_whole(span, "assistant"),
        whole=_in_and_out(span, notes),
    )


def _noted(span: spans.Span, kind: str, notes: spans.Notes) -> spans.Noted:
    """A span of another kind: documents become observations, other outputs (guardrails, rerankers) stay opaque."""
    documents = spans.unfolded(span.attributes, "retrieval.documents")
    if documents:
        asked = logs.text_of(span.attributes.get("input.value"))
        texts = [logs.text_of(document.get("document.content")) for document in documents]
        return spans.Noted(
            items=tuple(Observation(text=text, source=span.name, extra={"query": asked}) for text in texts)
        )
    return spans.Noted(items=(Opaque(name=kind.lower(), value=_in_and_out(span, notes)),))


def _in_and_out(span: spans.Span, notes: spans.Notes) -> JsonObject | None:
    found = {
        end: logs.without_blobs(value, notes.losses)
        for end in ("input", "output")
        if (value := span.attributes.get(f"{end}.value")) is not None
    }
    return {"name": span.name, **found} if found else None


def _whole(span: spans.Span, role: str) -> tuple[spans.Message, ...]:
    """The input or output of a span as a message, if it is plain text; JSON is data between programs."""
    value = span.text("input.value" if role == "user" else "output.value")
    parsed, is_json = spans.json_of(value)
    if value is None or (is_json and isinstance(parsed, dict | list)):
        return ()
    return (spans.Message(role, (Text(text=value),)),)


def _tool(tool: JsonObject) -> Any:
    declared, _ = spans.json_of(tool.get("tool.json_schema"))
    return declared if declared is not None else tool


def _count(value: Any) -> int | None:
    """A token count, which some exporters write as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _usage(span: spans.Span) -> Usage | None:
    counts = {
        ours: value
        for ours, theirs in _TOKENS.items()
        if (value := _count(span.attributes.get(theirs))) is not None
    }
    return Usage.model_validate(counts) if counts else None
