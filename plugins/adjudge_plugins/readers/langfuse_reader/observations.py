"""Reads one observation. Names: Langfuse's API reference, "observations", versions 2 and 3."""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model import JsonObject, Observation, Usage
from adjudge_plugins.readers import spans

ROOT: Final = "trace"
"""The type of a trace among its observations, and the prefix of its id there."""
SESSION: Final = "langfuse.session"
_CONTAINERS: Final = frozenset({ROOT, "SPAN", "AGENT", "CHAIN", "GUARDRAIL", "EVALUATOR"})
_PREFIXES: Final = ("execute_tool ", "agent_run ", "invoke_agent ")
"""Prefixes that instrumentations add to the name of a tool or an agent."""
_COUNTS: Final = {
    "input_tokens": ("input", "promptTokens", "prompt_tokens", "input_tokens"),
    "output_tokens": ("output", "completionTokens", "completion_tokens", "output_tokens"),
    "total_tokens": ("total", "totalTokens", "total_tokens"),
    "cached_tokens": (
        "input_cache_read",
        "input_cached_tokens",
        "cache_read_input_tokens",
        "prompt_details.cache_read",
    ),
    "reasoning_tokens": ("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning"),
}


def tell(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    """Convert one observation; ``None`` if it has no content of its own."""
    kind = logs.text_of(span.attributes.get("type"))
    losses = notes.losses
    given, gave = span.attributes.get("input"), span.attributes.get("output")
    result, call_id, ended = spans.result_of(gave)
    if kind in {"GENERATION", "EMBEDDING"}:
        return _model_call(span, losses)
    if kind == "TOOL" or (
        kind == "SPAN" and call_id is not None and not logs.object_of(result).get("messages")
    ):
        return _tool_run(span, given, result not in (None, {}, ""), (result, call_id, ended), losses)
    if kind == ROOT and span.attributes.get("scores"):
        losses.add("scores of the trace")
    if kind in _CONTAINERS:
        asked = spans.exchange_of(given, "user", losses)
        answered = spans.exchange_of(gave, "assistant", losses)
        name = _name(span.name) if kind == "AGENT" else None
        last = answered.messages[-1:]
        return spans.AgentRun(
            name=name,
            inputs=asked.messages,
            outputs=last if last and last[0].role == "assistant" else (),
            instructions=(asked.instructions if name else "") or _system(given),
            whole=None
            if given is None and gave is None
            else {"name": span.name, "input": given, "output": gave},
        )
    seen = gave if gave is not None else given
    if seen is None:
        losses.add(f"an observation of type {kind!r} that says nothing")
        return None
    text = logs.text_of(logs.without_blobs(seen, losses))
    return spans.Noted(items=(Observation(text=text, source=span.name or kind.lower()),))


def _system(given: Any) -> str:
    """Instructions that are given next to the user's prompt: ``{"prompt": ..., "system": ...}``."""
    value, _ = spans.json_of(given)
    told = logs.object_of(value)
    system = told.get("system") if "prompt" in told else None
    return system if isinstance(system, str) else ""


def _model_call(span: spans.Span, losses: logs.Losses) -> spans.ModelCall:
    attributes = span.attributes
    asked = spans.exchange_of(attributes.get("input"), "user", losses)
    answered = spans.exchange_of(attributes.get("output"), "assistant", losses)
    declared = attributes.get("toolDefinitions")
    cost = logs.seconds_of(attributes.get("totalCost") or attributes.get("calculatedTotalCost"))
    metadata, _ = spans.json_of(attributes.get("metadata"))
    node = logs.object_of(metadata).get("langgraph_node")
    return spans.ModelCall(
        inputs=asked.messages,
        outputs=answered.messages,
        instructions=asked.instructions,
        tools=asked.tools or (tuple(logs.list_of(declared)) if is_list(declared) else ()),
        agent=node if isinstance(node, str) else None,
        model=model if isinstance(model := attributes.get("model"), str) else None,
        usage=_usage(attributes),
        extra={"cost": cost} if cost else None,
    )


def _tool_run(
    span: spans.Span,
    given: Any,
    has_result: bool,
    ended: tuple[Any, str | None, JsonObject | None],
    losses: logs.Losses,
) -> spans.ToolRun:
    result, call_id, extra = ended
    told = spans.plain_literal(given)
    inner = logs.object_of(told)
    if list(inner) == ["input"] and is_object(inner["input"]):
        told = inner["input"]
    args, raw = logs.arguments_of(told)
    return spans.ToolRun(
        name=_name(span.name),
        call_id=call_id,
        args=args,
        raw_args=raw,
        has_result=has_result,
        result=logs.without_blobs(_plain(result), losses),
        extra=extra,
    )


def _plain(result: Any) -> Any:
    """The result of a tool; MCP's list of texts is joined."""
    parts = logs.list_of(logs.object_of(result).get("content"))
    texts = [logs.object_of(part).get("text") for part in parts]
    is_text = bool(texts) and all(isinstance(text, str) for text in texts)
    return (
        "\n".join(map(str, texts))
        if is_text and set(logs.object_of(result)) <= {"content", "isError"}
        else result
    )


def _name(name: str) -> str:
    """Remove the affixes that an instrumentation added to a name."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name[1:-1] if name.startswith("[") and name.endswith("]") else name


def _usage(attributes: JsonObject) -> Usage | None:
    told = logs.object_of(
        attributes.get("usageDetails") or attributes.get("usage_details") or attributes.get("usage")
    )
    counts = {
        ours: count
        for ours, theirs in _COUNTS.items()
        if (count := next((told[key] for key in theirs if isinstance(told.get(key), int)), None)) is not None
    }
    return Usage.model_validate(counts) if counts else None
