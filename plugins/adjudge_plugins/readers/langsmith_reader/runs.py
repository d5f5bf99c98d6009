"""Reads one run. Names: LangSmith's reference, "run (span) data format"."""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import usage_from_openai
from adjudge.model import JsonObject, Observation, Usage
from adjudge_plugins.readers import spans

THREAD: Final = "langsmith.thread"
_SILENT: Final = frozenset({"prompt", "parser", "embedding"})
"""Types of runs that format or parse: their content repeats a model call."""


def tell(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    """Convert one run; ``None`` if it has no content of its own."""
    losses = notes.losses
    kind = logs.text_of(span.attributes.get("run_type"))
    given, gave = span.attributes.get("inputs"), span.attributes.get("outputs")
    if kind == "llm":
        return _model_call(span, given, gave, losses)
    if kind == "tool":
        return _tool_run(span, given, gave, losses)
    if kind == "retriever":
        documents = [logs.object_of(found) for found in logs.list_of(logs.object_of(gave).get("documents"))]
        texts = [logs.text_of(found.get("page_content")) for found in documents] or [logs.text_of(gave)]
        return spans.Noted(items=tuple(Observation(text=text, source=span.name) for text in texts))
    if kind in _SILENT:
        losses.add(f"runs of type {kind!r}")
        return None
    asked = spans.exchange_of(given, "user", losses)
    answered = spans.exchange_of(gave, "assistant", losses)
    last = answered.messages[-1:]
    return spans.AgentRun(
        name=None,
        inputs=asked.messages,
        outputs=last if last and last[0].role == "assistant" else (),
        whole=None if not given and not gave else {"name": span.name, "input": given, "output": gave},
    )


def _model_call(span: spans.Span, given: Any, gave: Any, losses: logs.Losses) -> spans.ModelCall:
    asked = spans.exchange_of(given, "user", losses)
    answered = spans.exchange_of(gave, "assistant", losses)
    extra = logs.object_of(span.attributes.get("extra"))
    metadata = logs.object_of(extra.get("metadata"))
    invocation = logs.object_of(extra.get("invocation_params"))
    answer = logs.object_of(gave)
    names = (answer.get("model"), metadata.get("ls_model_name"), invocation.get("model"))
    node = metadata.get("langgraph_node")
    cost = logs.seconds_of(span.attributes.get("total_cost"))
    return spans.ModelCall(
        inputs=asked.messages,
        outputs=answered.messages,
        instructions=asked.instructions,
        tools=asked.tools or tuple(logs.list_of(invocation.get("tools"))),
        agent=node if isinstance(node, str) else None,
        model=next((name for name in names if isinstance(name, str) and name), None),
        usage=_usage(span.attributes, answer, metadata),
        extra={"cost": cost} if cost else None,
    )


def _usage(run: JsonObject, answer: JsonObject, metadata: JsonObject) -> Usage | None:
    """The token usage: that of the answer, as LangChain counts it, else that of the run, as LangSmith does."""
    told = logs.object_of(
        answer.get("usage_metadata") or metadata.get("usage_metadata") or answer.get("usage")
    ) or {key: run[key] for key in ("prompt_tokens", "completion_tokens", "total_tokens") if run.get(key)}
    if not told:
        return None
    taken, given = (logs.object_of(told.get(f"{end}_token_details")) for end in ("input", "output"))
    details = {
        "input_tokens_details": {"cached_tokens": taken.get("cache_read")},
        "output_tokens_details": {"reasoning_tokens": given.get("reasoning")},
    }
    return usage_from_openai({**told, **({} if not taken and not given else details)})


def _tool_run(span: spans.Span, given: Any, gave: Any, losses: logs.Losses) -> spans.ToolRun:
    told = logs.object_of(given)
    asked = told.get("input", given) if list(told) == ["input"] else given
    args, raw = logs.arguments_of(asked)
    result, call_id, extra = spans.result_of(gave)
    inner = logs.object_of(result)
    if list(inner) == ["output"]:
        result = inner["output"]
    return spans.ToolRun(
        name=span.name,
        call_id=call_id,
        args=args,
        raw_args=raw,
        has_result=gave is not None and gave != {},
        result=logs.without_blobs(result, losses),
        extra=extra,
    )
