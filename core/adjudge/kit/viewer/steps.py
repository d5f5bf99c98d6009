"""Steps as rows of a trace: a title, the items, and the recorded call to the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal

from adjudge.kit.render.call_diff import call_text
from adjudge.kit.render.judges import short_number
from adjudge.kit.render.lines import shortened
from adjudge.kit.trace import cost_of_step, json_text, place_of
from adjudge.kit.viewer.exhibits import Exhibits
from adjudge.kit.viewer.texts import Text, json_view, text_of
from adjudge.kit.viewer.trace_documents import Item, TraceRow
from adjudge.model.base import JsonValue
from adjudge.model.invocation import Invocation
from adjudge.model.items import Blob, Claim, ErrorItem, Observation, Opaque, ToolCall, ToolResult
from adjudge.model.items import Text as TextItem
from adjudge.model.printable import clean
from adjudge.model.step import Step, Usage

_TITLE: Final = 140
_LABELS: Final[Mapping[str, str]] = {
    "thinking": "thinks",
    "memory": "remembers",
    "evaluation_previous_goal": "says of its last step",
    "next_goal": "wants next",
    "text": "says",
    "observation": "sees",
    "user": "user",
    "final_response": "answer",
    "final_state": "state of the session at the end",
}


def step_row(step: Step, times: tuple[float, float, str], items: Sequence[Item]) -> TraceRow:
    """Create the row of a step.

    Args:
        step: The step.
        times: Its beginning and end as shares of the run, and its duration as a text.
        items: Its items, and messages that belong to it: the user's message, the answer.
    """
    begin, end, time = times
    cost = cost_of_step(step)
    return {
        "step": step.number,
        "title": _title(step, items),
        "agent": clean(step.author or step.role or ""),
        "kind": _kind(step, items),
        "begin": begin,
        "end": end,
        "time": time,
        "tokens": tokens_text(step.usage),
        "cost": "" if cost is None else f"cost {cost_text(cost)}",
        "event": step.raw_event is not None or step.form == "event",
        "nested": step.parent_call_id is not None,
        "marks": [],
        "ref": clean(step.source_ref or ""),
        "items": list(items),
        "raw": {},
        "nodes": [],
    }


def items_of(step: Step) -> Iterator[Item]:
    """The items of a step, with the names of fields that citations use."""
    for item in step.items:
        place = place_of(item)
        if place is not None:
            field, text = place
            yield _item(field, text, _label(item, field), code=isinstance(item, ToolCall | ToolResult))
        elif isinstance(item, Blob):
            yield _item("blob", _blob_text(item), "file")
        elif isinstance(item, Opaque):
            yield _item(item.name, json_text(item.value), item.name, code=True)


def asked_item(turn: Invocation) -> Item | None:
    """The user's message, as an item of the first step after it."""
    text = turn.user_content.text
    return _item("user", text, _LABELS["user"]) if text else None


def answer_item(turn: Invocation) -> Item | None:
    """The final response, as an item of the turn's last step."""
    response = turn.final_response
    return (
        _item("final_response", response.text, _LABELS["final_response"])
        if response and response.text
        else None
    )


def state_item(state: JsonValue) -> Item:
    """The session state at the end, as an item of the run's last step."""
    return _item("final_state", json_text(state), _LABELS["final_state"], code=True)


def tokens_text(usage: Usage | None) -> str:
    """The numbers of tokens as a short text: "1.2k in, 34 out"."""
    if usage is None:
        return ""
    sides = [
        f"{short_number(count)} {side}"
        for count, side in ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
        if count is not None
    ]
    total = usage.total_tokens
    return ", ".join(sides) or ("" if total is None else short_number(total))


def cost_text(cost: float) -> str:
    """A cost in the currency of the log, with at most four significant digits: "1.25", "0.0000103"."""
    text = f"{Decimal(f'{cost:.4g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _item(field: str, text: str, label: str, *, code: bool = False) -> Item:
    return {"field": clean(field), "label": clean(label), "text": text_of(text), "is_code": code}


def _label(item: object, field: str) -> str:
    match item:
        case Claim() | TextItem() | Observation():
            return _LABELS.get(field, field.replace("_", " "))
        case ToolCall():
            return "thinks" if field == "thinking" else "calls"
        case ToolResult():
            of = f" of {item.name}" if item.name else ""
            return f"error{of}" if item.is_error else f"result{of}"
        case ErrorItem():
            return f"error {item.code}" if item.code else "error"
        case _:
            return field.replace("_", " ")


def _kind(step: Step, items: Sequence[Item]) -> Literal["call", "say", "think", "error", "observe", "other"]:
    if step.errors or any(result.is_error for result in step.results):
        return "error"
    if step.calls:
        return "call"
    if step.text or any(item["field"] == "final_response" for item in items):
        return "say"
    if step.results or step.observations:
        return "observe"
    return "think" if step.thinking else "other"


def _title(step: Step, items: Sequence[Item]) -> str:
    if step.calls:
        return "; ".join(map(_call_title, step.calls[:3]))
    if step.text:
        return shortened(step.text, _TITLE)
    for item in items:
        if item["field"] != "user":
            return shortened(f"{item['label']}: {_plain(item['text'])}", _TITLE)
    return "nothing was recorded"


def _call_title(call: ToolCall) -> str:
    if call.raw_args is not None:
        return shortened(f"{call.name}({call.raw_args})", _TITLE)
    return call_text(call.name, call.args, _TITLE)


def _plain(text: Text) -> str:
    return text if isinstance(text, str) else text["text"]


def raw_of(step: Step, exhibits: Exhibits) -> dict[str, Text]:
    """The raw event, request and response of a step, if they were recorded."""
    recorded = {"event": step.raw_event, "request": step.model_request, "response": step.model_response}
    return {name: json_view(exhibits.whole(value)) for name, value in recorded.items() if value is not None}


def _blob_text(blob: Blob) -> str:
    kind = blob.mime_type or "file"
    if blob.data is not None:
        return f"[{kind}, about {short_number(len(blob.data) * 3 // 4)} bytes, not shown]"
    return f"[{kind} at {blob.uri}]" if blob.uri else f"[{kind}]"
