"""Citations of a vote: looked up by code, repaired once, dropped where they still do not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adjudge.extension.judge_protocols import CitationCheck
from adjudge.judging.prompting import item_key
from adjudge.judging.replies import ReadItem


def wrong_citation(read: Sequence[ReadItem], check: CitationCheck | None) -> str | None:
    """What is wrong with the first citation that does not hold; ``None`` where all do."""
    if check is None:
        return None
    for position, item in enumerate(read):
        if item.malformed_citations:
            return f"a citation of {item_key(position)!r} lacks a step, a known field or a quote"
        for citation in item.citations:
            if problem := check(citation):
                return f"a citation of {item_key(position)!r} does not hold: {problem}"
    return None


def with_citations_of(first: ReadItem, second: ReadItem, check: CitationCheck | None) -> ReadItem:
    """The first answer with the second one's citations: repairing where it looked changes no verdict."""
    if check is None or wrong_citation([first], check) is None or first.label != second.label:
        return first
    return replace(first, citations=second.citations, malformed_citations=second.malformed_citations)


def holding(item: ReadItem, check: CitationCheck | None) -> tuple[ReadItem, int]:
    """The answer with the citations that hold alone, and how many were dropped."""
    if check is None:
        return item, 0
    kept = tuple(citation for citation in item.citations if check(citation) is None)
    return replace(item, citations=kept), len(item.citations) - len(kept) + item.malformed_citations
