"""Citations of a vote: looked up by code, asked for once more, dropped where they still do not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adjudge.extension.judge_protocols import CitationCheck
from adjudge.judge.parsing import ReadItem
from adjudge.judge.prompt import item_key
from adjudge.model.judging import Question, Vote


def problem_of_evidence(
    read: Sequence[ReadItem], question: Question, check: CitationCheck | None
) -> str | None:
    """What is wrong with what an answer shows for itself; ``None`` where nothing is.

    A citation that does not hold; or an item that is decided while nothing is shown for it at all.
    """
    if check is None:
        return None
    for position, item in enumerate(read):
        key = item_key(position)
        if item.malformed_citations:
            return f"a citation of {key!r} lacks a step, a known field or a quote"
        for citation in item.citations:
            if problem := check(citation):
                return f"a citation of {key!r} does not hold: {problem}"
        if _shows_nothing(item, question):
            return f"{key!r} is decided, and no citation shows where that can be seen"
    return None


def _shows_nothing(item: ReadItem, question: Question) -> bool:
    is_decided = any(choice.label == item.label and choice.value is not None for choice in question.choices)
    return is_decided and not item.citations and not _instead(item, question)


def _instead(item: ReadItem, question: Question) -> str:
    return item.notes.get(question.instead_of_citing or "", "").strip()


def with_evidence_of(
    first: ReadItem, second: ReadItem, question: Question, check: CitationCheck | None
) -> ReadItem:
    """The first answer with the second one's evidence: repairing where it looked changes no verdict."""
    if first.label != second.label or problem_of_evidence([first], question, check) is None:
        return first
    name, words = question.instead_of_citing, _instead(second, question)
    notes = {**first.notes, name: words} if name and words else first.notes
    return replace(
        first, notes=notes, citations=second.citations, malformed_citations=second.malformed_citations
    )


def vote_of(item: ReadItem, model: str, sample: int, check: CitationCheck | None) -> Vote:
    """The vote of one model on one item, with the citations that hold alone."""
    kept = tuple(citation for citation in item.citations if check is None or check(citation) is None)
    dropped = 0 if check is None else len(item.citations) - len(kept) + item.malformed_citations
    return Vote(
        model=model,
        sample=sample,
        label=item.label,
        notes=dict(item.notes),
        citations=kept,
        dropped_citations=dropped,
        lost=item.lost_because,
    )
