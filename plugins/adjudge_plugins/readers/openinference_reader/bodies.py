"""Spans as AWS's distribution of OpenTelemetry (ADOT) exports them: what went in and came out is in the body of an event.

Neither the kind of the operation nor its name is kept; what came out says which it was. LangChain's instrumentation writes
an answer of a model as ``generations``, a tool's as a message of type ``tool``, and what a graph did as ``messages``.
"""

from __future__ import annotations

from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge_plugins.readers import spans

SCOPE: Final = "openinference.instrumentation"
_END: Final = "__end__"
"""What a graph says where it only decides how to go on."""


def told_in_bodies(span: spans.Span, notes: spans.Notes) -> spans.Told | None:
    """What a span tells in the body of its events; nothing where it has none."""
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
    """What the one message of an end holds."""
    messages: list[JsonObject] = [
        logs.object_of(one) for one in logs.list_of(logs.object_of(end).get("messages"))
    ]
    return messages[-1].get("content") if messages else None
