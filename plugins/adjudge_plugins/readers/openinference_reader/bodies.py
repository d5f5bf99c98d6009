"""Spans exported by AWS's distribution of OpenTelemetry (ADOT): input and output are in the body of an event.

The kind and the name of the operation are lost, and are inferred from the output. LangChain's instrumentation
writes a model's answer as ``generations``, a tool's result as a message of type ``tool``, and a graph's
output as ``messages``.
"""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge_plugins.readers import spans

SCOPE: Final = "openinference.instrumentation"
_END: Final = "__end__"
"""The output of a graph node that only decides which node is next."""


def told_in_bodies(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    """Read a span from the bodies of its events; ``None`` if there are none."""
    body = next((event.body for event in span.events if event.name.startswith(SCOPE) and event.body), None)
    if body is None:
        return None
    given, gave = _content(body.get("input")), _content(body.get("output"))
    parsed, _ = spans.json_of(gave)
    answer = logs.object_of(parsed)
    if answer.get("type") == "tool" and "tool_call_id" in answer:
        result, call_id, ended = spans.result_of(answer)
        args, raw = logs.arguments_of(spans.plain_literal(given))
        return spans.ToolRun(
            name=logs.text_of(answer.get("name")) or span.name,
            call_id=call_id,
            args=args,
            raw_args=raw,
            has_result=True,
            result=logs.without_blobs(result, notes.losses),
            extra=ended,
        )
    if "generations" in answer:
        asked = spans.exchange_of(body.get("input"), "user", notes.losses)
        answered = spans.exchange_of(answer, "assistant", notes.losses)
        return spans.ModelCall(inputs=asked.messages, outputs=answered.messages)
    if gave == _END or "remaining_steps" in logs.object_of(spans.json_of(given)[0]):
        notes.losses.add("a span that decides how a graph goes on")
        return None
    asked = spans.exchange_of(given, "user", notes.losses)
    last = spans.exchange_of(gave, "assistant", notes.losses).messages[-1:]
    return spans.AgentRun(
        name=None,
        inputs=asked.messages,
        outputs=last if last and last[0].role == "assistant" else (),
        whole={"name": span.name, "input": given, "output": gave},
    )


def _content(end: Any) -> Any:
    """The content of the single message in an input or output."""
    messages: list[JsonObject] = [
        logs.object_of(one) for one in logs.list_of(logs.object_of(end).get("messages"))
    ]
    return messages[-1].get("content") if messages else None
