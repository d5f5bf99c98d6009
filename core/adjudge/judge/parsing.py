"""Parses replies: accepts only answers that match the schema, and only valid citations."""

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
"""Messages for withheld answers, by finish reason. Repeating the request would give the same."""

_DETAIL: Final = 160
"""Maximum number of characters quoted from an unreadable answer."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """The answer of one reply to one item."""

    label: str | None
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    citations: tuple[Citation, ...] = ()
    """The valid citations."""
    dropped: int = 0
    """The number of invalid citations: without a step, known field or quote, or not found in the log."""
    problem: str | None = None
    """The reason for a missing label or invalid evidence. The judge gets it, so it contains only fixed texts."""
    detail: str = ""
    """The text found instead of a label."""

    @property
    def lost(self) -> str | None:
        """The reason for a missing label, for messages; ``None`` if there is a label."""
        if self.label is not None:
            return None
        return f"{self.problem} ({self.detail})" if self.detail else self.problem

    def with_evidence_of(self, second: ReadItem, question: Question) -> ReadItem:
        """This answer with the citations of the repaired answer ``second``. A repair cannot change the label."""
        if self.label != second.label or self.problem is None:
            return self
        name, words = question.instead_of_citing, _instead(second.notes, question)
        notes = {**self.notes, name: words} if name and words else self.notes
        return replace(self, notes=notes, citations=second.citations, dropped=second.dropped)

    def vote(self, model: str, sample: int) -> Vote:
        """This answer as a vote of ``model``."""
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
    """Parse the answers to all items in the question's order, or only to the items at the positions ``among``.

    ``check`` verifies each citation.
    """
    positions = range(len(question.items)) if among is None else among
    if reply.finish_reason in WITHHELD:
        return tuple(ReadItem(None, problem=WITHHELD[reply.finish_reason]) for _ in positions)
    found = _object_of(reply)
    if isinstance(found, ReadItem):
        return tuple(found for _ in positions)
    return tuple(_read_item(found, at, question, check) for at in positions)


def problem_of(read: Sequence[ReadItem]) -> str | None:
    """The problem that the judge is asked to repair; a missing label comes before missing evidence."""
    first = sorted((item for item in read if item.problem), key=lambda item: item.label is not None)
    return first[0].problem if first else None


def read_texts(reply: JudgeReply, fields: Iterable[str]) -> Mapping[str, str] | None:
    """Parse the texts of a reply; ``None`` if one is missing or blank."""
    found = read_spoken(reply, fields)
    return None if isinstance(found, str) or not all(found.values()) else found


def read_spoken(reply: JudgeReply, fields: Iterable[str]) -> Mapping[str, str] | str:
    """Parse the texts of a reply, which may be blank; or the reason, a fixed text, why this is impossible."""
    if reply.finish_reason in WITHHELD:
        return WITHHELD[reply.finish_reason]
    found = _object_of(reply)
    if isinstance(found, ReadItem):
        return found.problem or ""
    texts = {name: value.strip() for name in fields if isinstance(value := found.get(name), str)}
    missing = next((name for name in fields if name not in texts), None)
    return texts if missing is None else f"it has no text {missing!r}"


def _object_of(reply: JudgeReply) -> Mapping[str, object] | ReadItem:
    """The JSON object of a reply; if there is none, a ``ReadItem`` with the problem, for every item."""
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
    """The note that replaces citations if there is nothing to cite; empty if the judge wrote none."""
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
    """Remove a Markdown fence around the whole reply, which models without schema support often write."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") : -3]
    return stripped
