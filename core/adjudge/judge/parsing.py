"""Reading a reply: only what the schema asked for counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from adjudge.adk.json_input import parse_json
from adjudge.errors import InputError
from adjudge.judge.prompt import CITATIONS, VERDICT, item_key
from adjudge.model.evidence import Citation
from adjudge.model.judging import JudgeReply, Question

WITHHELD: Final[Mapping[str, str]] = {
    "refusal": "the judge refused to answer",
    "safety": "the provider blocked the answer",
}
"""Answers that are none, by their finish reason. To ask again would bring the same."""

_DETAIL: Final = 160
"""Characters that are repeated of an answer which cannot be read."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What one reply says of one item."""

    label: str | None
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    citations: tuple[Citation, ...] = ()
    malformed_citations: int = 0
    """Entries that name no step, no known field, or no words."""
    lost: str | None = None
    """Why there is no label, in words of ours alone: the judge is told them."""
    detail: str = ""
    """What was found instead."""

    @property
    def lost_because(self) -> str | None:
        """Why there is no label, for people."""
        return f"{self.lost} ({self.detail})" if self.lost and self.detail else self.lost


def read_reply(reply: JudgeReply, question: Question) -> tuple[ReadItem, ...]:
    """What a reply says of every item, in the question's order."""
    if reply.finish_reason in WITHHELD:
        return tuple(ReadItem(None, lost=WITHHELD[reply.finish_reason]) for _ in question.items)
    found = _object_of(reply)
    if isinstance(found, ReadItem):
        return tuple(found for _ in question.items)
    return tuple(_read_item(found, position, question) for position in range(len(question.items)))


def read_texts(reply: JudgeReply, fields: Iterable[str]) -> Mapping[str, str] | None:
    """The texts of a reply; ``None`` where one is missing or blank."""
    found = _object_of(reply)
    if isinstance(found, ReadItem):
        return None
    texts = {name: value.strip() for name in fields if isinstance(value := found.get(name), str)}
    return texts if all(texts.get(name) for name in fields) else None


def _object_of(reply: JudgeReply) -> Mapping[str, object] | ReadItem:
    """The JSON object of a reply; where there is none, what that means for every item."""
    try:
        answer = parse_json(_unfenced(reply.text), source="answer")
    except InputError as error:
        what = error.problems[0].what.rstrip(".")
        problem, detail = "it is not JSON", what if len(what) <= _DETAIL else f"{what[:_DETAIL]}…"
    else:
        if isinstance(answer, dict):
            return cast("dict[str, object]", answer)
        problem, detail = "it is not a JSON object", ""
    cut = " and was cut off" if reply.finish_reason == "length" else ""
    return ReadItem(None, lost=f"{problem}{cut}", detail=detail)


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
    cited = entry.get(CITATIONS) if question.cites else None
    listed = cast("list[object]", cited) if isinstance(cited, list) else []
    citations = [_citation(value, question) for value in listed]
    found = tuple(dict.fromkeys(citation for citation in citations if citation is not None))
    return ReadItem(str(label), notes, found, citations.count(None))


def _citation(value: object, question: Question) -> Citation | None:
    entry = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    step, name, quote = entry.get("step"), entry.get("field"), entry.get("quote")
    if isinstance(step, bool) or not isinstance(step, int) or name not in question.cites:
        return None
    return (
        Citation(step=step, field=str(name), quote=quote)
        if isinstance(quote, str) and quote.strip()
        else None
    )


def _unfenced(text: str) -> str:
    """The text inside one Markdown fence around the whole: what models without a schema like to write."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") : -3]
    return stripped
