"""Reading a reply: only what the schema asked for counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from adjudge.errors import InputError
from adjudge.formats.json_input import parse_json
from adjudge.judging.prompting import VERDICT, item_key
from adjudge.model.judging import JudgeReply, Question


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What one reply says of one item."""

    label: str | None
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    lost: str | None = None
    """Why there is no label."""


def read_reply(reply: JudgeReply, question: Question) -> tuple[ReadItem, ...]:
    """What a reply says of every item, in the question's order."""
    if reply.finish_reason in ("refusal", "safety"):
        said = {"refusal": "the judge refused to answer", "safety": "the provider blocked the answer"}
        return tuple(ReadItem(None, lost=said[reply.finish_reason]) for _ in question.items)
    try:
        answer = parse_json(_unfenced(reply.text), source="answer")
        problem = "" if isinstance(answer, dict) else "it is not a JSON object"
    except InputError as error:
        answer, problem = None, f"it is not JSON ({error.problems[0].what.rstrip('.')})"
    if problem:
        cut = " and was cut off" if reply.finish_reason == "length" else ""
        return tuple(ReadItem(None, lost=f"{problem}{cut}") for _ in question.items)
    found = cast("dict[str, object]", answer)
    return tuple(_read_item(found, position, question) for position in range(len(question.items)))


def _read_item(answer: Mapping[str, object], position: int, question: Question) -> ReadItem:
    key = item_key(position)
    value = answer.get(key)
    if not isinstance(value, dict):
        return ReadItem(None, lost=f"{key!r} is not an object in it")
    entry = cast("dict[str, object]", value)
    notes = {name: text for name in question.notes if isinstance(text := entry.get(name), str)}
    label = entry.get(VERDICT)
    if label not in [choice.label for choice in question.choices]:
        return ReadItem(None, notes, lost=f"the verdict of {key!r} is not one of the possible values")
    return ReadItem(str(label), notes)


def _unfenced(text: str) -> str:
    """The text inside one Markdown fence around the whole: what models without a schema like to write."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") : -3]
    return stripped
