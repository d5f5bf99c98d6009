"""Finds the quotes of citations in the items of a trace."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from adjudge.kit.viewer.documents import Citation
from adjudge.kit.viewer.trace_documents import Trace, TraceRow
from adjudge.model.evidence import Citation as CitedWords
from adjudge.model.printable import clean

_LONGEST: Final = 2_000
"""The maximum length of a quote in characters for a search with normalised white space."""


class Quotes:
    """An index of the items of a trace by step, for finding quotes."""

    def __init__(self, trace: Trace) -> None:
        """Index the steps. A turn without steps belongs to the step before it, or to step 0."""
        self._rows: dict[int, list[TraceRow]] = {}
        last = 0
        for group in trace["groups"]:
            for row in group["rows"]:
                last = row["step"] if row["step"] > 0 else last
                self._rows.setdefault(last, []).append(row)

    def cited(self, citations: Iterable[CitedWords]) -> list[Citation]:
        """The citations with the places of their quotes."""
        return [self._cited(citation) for citation in citations]

    def _cited(self, citation: CitedWords) -> Citation:
        quote = clean(citation.quote)
        rows = self._rows.get(citation.step, [])
        places = [(row["step"], index, item) for row in rows for index, item in enumerate(row["items"])]
        # Prefer the cited field, but accept others: citations by code may use other names of fields.
        places.sort(key=lambda place: place[2]["field"] != citation.field)
        found: Citation = {
            "step": citation.step,
            "row": rows[0]["step"] if rows else citation.step,
            "field": clean(citation.field),
            "quote": f"{quote}…" if citation.shortened else quote,
            "at": None,
        }
        for row, index, item in places:
            text = item["text"] if isinstance(item["text"], str) else item["text"]["text"]
            start, end = _found(quote, text)
            if start >= 0:
                return {**found, "row": row, "at": (index, _utf16(text[:start]), _utf16(text[:end]))}
        return found


def _found(quote: str, text: str) -> tuple[int, int]:
    start = text.find(quote) if quote else -1
    if start >= 0:
        return start, start + len(quote)
    if not (parts := quote[:_LONGEST].split()):
        return -1, -1
    # Judges normalise white space, and are not shown invisible characters.
    match = re.search(r"[\s\u200b-\u200f\u2060\ufeff]+".join(map(re.escape, parts)), text)
    return match.span() if match is not None else (-1, -1)


def _utf16(text: str) -> int:
    """The length of a text in UTF-16 code units, as in JavaScript."""
    return len(text) + sum(1 for char in text if char > "\uffff")
