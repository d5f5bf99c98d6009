"""Reading a reply: only what the schema asked for counts, and of its citations only those that hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

from adjudge.adk.json_input import parse_json
from adjudge.errors import InputError
from adjudge.extension.judge_protocols import CitationCheck
from adjudge.judge.prompt import CITATIONS, VERDICT, item_key
from adjudge.model.evidence import Citation
from adjudge.model.judging import JudgeReply, Question, Vote

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
    """Those that hold."""
    dropped: int = 0
    """Citations that name no step, no known field or no words, or that do not hold."""
    problem: str | None = None
    """Why there is no label, or what is wrong with the evidence, in words of ours alone: the judge is told them."""
    detail: str = ""
    """What was found instead of a label."""

    @property
    def lost(self) -> str | None:
        """Why there is no label, for people."""
        if self.label is not None:
            return None
        return f"{self.problem} ({self.detail})" if self.detail else self.problem

    def with_evidence_of(self, second: ReadItem, question: Question) -> ReadItem:
        """The same answer with the evidence of a second one: repairing where it looked changes no verdict."""
        if self.label != second.label or self.problem is None:
            return self
        name, words = question.instead_of_citing, _instead(second.notes, question)
        notes = {**self.notes, name: words} if name and words else self.notes
        return replace(self, notes=notes, citations=second.citations, dropped=second.dropped)

    def vote(self, model: str, sample: int) -> Vote:
        """The vote of a model."""
        return Vote(
            model=model,
            sample=sample,
            label=self.label,
            notes=dict(self.notes),
            citations=self.citations,
            dropped_citations=self.dropped,
            lost=self.lost,
        )


def read_reply(
    reply: JudgeReply,
    question: Question,
    check: CitationCheck | None = None,
    among: Sequence[int] | None = None,
) -> tuple[ReadItem, ...]:
    """What a reply says of every item, in the question's order, or of those at ``among``.

    ``check`` looks each citation up.
    """
    positions = range(len(question.items)) if among is None else among
    if reply.finish_reason in WITHHELD:
        return tuple(ReadItem(None, problem=WITHHELD[reply.finish_reason]) for _ in positions)
    found = _object_of(reply)
    if isinstance(found, ReadItem):
        return tuple(found for _ in positions)
    return tuple(_read_item(found, at, question, check) for at in positions)


def problem_of(read: Sequence[ReadItem]) -> str | None:
    """What the judge is asked to put right: a missing answer before missing evidence."""
    first = sorted((item for item in read if item.problem), key=lambda item: item.label is not None)
    return first[0].problem if first else None


def read_texts(reply: JudgeReply, fields: Iterable[str]) -> Mapping[str, str] | None:
    """The texts of a reply; ``None`` where one is missing or blank."""
    found = read_spoken(reply, fields)
    return None if isinstance(found, str) or not all(found.values()) else found


def read_spoken(reply: JudgeReply, fields: Iterable[str]) -> Mapping[str, str] | str:
    """The texts of a reply, blank ones included; or why it has none, in words of ours alone."""
    if reply.finish_reason in WITHHELD:
        return WITHHELD[reply.finish_reason]
    found = _object_of(reply)
    if isinstance(found, ReadItem):
        return found.problem or ""
    texts = {name: value.strip() for name in fields if isinstance(value := found.get(name), str)}
    missing = next((name for name in fields if name not in texts), None)
    return texts if missing is None else f"it has no text {missing!r}"


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
    return ReadItem(None, problem=f"{problem}{cut}", detail=detail)


def _read_item(
    answer: Mapping[str, object], position: int, question: Question, check: CitationCheck | None
) -> ReadItem:
    key, item = item_key(position), question.items[position]
    value = answer.get(key)
    if not isinstance(value, dict):
        return ReadItem(None, problem=f"{key!r} is not an object in it")
    entry = cast("dict[str, object]", value)
    notes = {name: text for name in question.notes if isinstance(text := entry.get(name), str)}
    choice = next((choice for choice in question.choices if choice.label == entry.get(VERDICT)), None)
    if choice is None:
        return ReadItem(None, notes, problem=f"the verdict of {key!r} is not one of the possible values")
    fields = question.cites_of(item)
    cited = entry.get(CITATIONS) if fields else None
    listed = cast("list[object]", cited) if isinstance(cited, list) else []
    citations = [_citation(value, fields) for value in listed]
    found = dict.fromkeys(citation for citation in citations if citation is not None)
    if check is None:
        return ReadItem(choice.label, notes, tuple(found))
    wrong = {
        citation: problem
        for citation in found
        if (problem := check(item.item_id, choice.label, citation)) is not None
    }
    problem = None
    if None in citations:
        problem = f"a citation of {key!r} lacks a step, a known field or a quote"
    elif wrong:
        problem = f"a citation of {key!r} does not hold: {next(iter(wrong.values()))}"
    elif choice.value is not None and not found and not _instead(notes, question):
        problem = f"{key!r} is decided, and no citation shows where that can be seen"
    kept = tuple(citation for citation in found if citation not in wrong)
    return ReadItem(choice.label, notes, kept, len(wrong) + citations.count(None), problem)


def _instead(notes: Mapping[str, str], question: Question) -> str:
    """What stands for evidence where there is nothing to cite."""
    return notes.get(question.instead_of_citing or "", "").strip()


def _citation(value: object, fields: Sequence[str]) -> Citation | None:
    entry = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    step, name, quote = entry.get("step"), entry.get("field"), entry.get("quote")
    if isinstance(step, bool) or not isinstance(step, int) or name not in fields:
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
