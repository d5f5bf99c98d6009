"""Converts a run to the ``List[Step]`` of seed 003, section 3.1: the agent's claims, actions and their results."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, Final

from adjudge.kit import digests
from adjudge.kit.strict_json import is_list
from adjudge.model import (
    Blob,
    ClaimField,
    ErrorItem,
    JsonObject,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge.plugin import Trajectory

_CLAIMS: Final[tuple[ClaimField, ...]] = ("thinking", "memory", "next_goal", "evaluation_previous_goal")


def steps_of(run: Trajectory) -> list[JsonObject]:
    """Convert the steps of a run, each with ``step``, ``action`` and the four claims; ``""`` if the log has none.

    ``observation``, ``result`` and ``error`` are added if something came back, and ``author`` if the log has
    one. A final answer is the last action of its turn. A user's message after the first turn is an
    observation of the step before it.
    """
    found: list[JsonObject] = []
    for place, turn in enumerate(run.invocations):
        said = turn.user_content.text
        if place and said and found:
            _add(found[-1], "observation", f"user: {said}")
        own = [_step(step) for step in turn.steps]
        answer = turn.final_response.text if turn.final_response is not None else ""
        if answer:
            if not own:
                own.append(_empty((found[-1]["step"] if found else 0) + 1))
            last = max((at for at, step in enumerate(turn.steps) if step.parent_call_id is None), default=-1)
            _add(own[last], "action", answer)
        found += own
    numbers = [step["step"] for step in found]
    if any(left >= right for left, right in pairwise(numbers)):
        for number, step in enumerate(found, 1):
            step["step"] = number
    return found


def _empty(number: int) -> JsonObject:
    step: JsonObject = {"step": number, "thinking": "", "memory": "", "action": ""}
    for claim in _CLAIMS:
        step.setdefault(claim, "")
    return step


def _step(step: Step) -> JsonObject:
    data = _empty(step.number)
    data |= {
        field: step.claim(field) or ""
        for field in ("thinking", "memory", "next_goal", "evaluation_previous_goal")
    }
    if step.author is not None:
        data["author"] = step.author
    for item in step.items:
        match item:
            case ToolCall():
                given = item.raw_args if item.raw_args is not None else _json(item.args) if item.args else ""
                _add(data, "action", f"{item.name}({given})")
            case Text():
                _add(data, "action", item.text)
            case ToolResult():
                _add(data, "result", item.value)
            case Observation():
                _add(data, "observation", item.text)
            case ErrorItem():
                _add(data, "error", item.message)
            case Opaque():
                _add(data, "observation", f"{item.name}: {digests.text_of(item.value)}")
            case Blob():
                _add(
                    data,
                    "observation",
                    f"[{item.mime_type or 'binary data'}]{f' {item.uri}' if item.uri else ''}",
                )
            case _:
                pass
    return data


def _json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False)


def _add(data: JsonObject, key: str, value: Any) -> None:
    """Set a key, or extend its value: values form a list, and texts that came back are joined."""
    before = data.get(key)
    if before in (None, ""):
        data[key] = value
    elif key in {"observation", "error"}:
        data[key] = f"{before}\n{value}"
    else:
        data[key] = [*(before if is_list(before) else [before]), value]
