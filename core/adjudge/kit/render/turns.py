"""Pairs of expected and actual turns, with the results of criteria."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from adjudge.model.invocation import Invocation
from adjudge.model.items import Blob, Content
from adjudge.model.result import CriterionResult, InvocationResult
from adjudge.plugin import ReportedCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, with the results of all criteria that measure single turns."""

    number: int
    of: int
    expected: Invocation | None
    actual: Invocation | None
    results: tuple[tuple[CriterionResult, InvocationResult], ...]

    @property
    def prompt(self) -> str:
        """The text of the user's message."""
        asked = self.expected or self.actual
        return said(asked.user_content) if asked else ""


def turns_of(reported: ReportedCase) -> list[Turn]:
    """Pair the expected and actual turns of a repeat. If one list is shorter, its missing turns are ``None``."""
    expected = reported.case.conversation or ()
    actual = reported.actual.invocations
    criteria = [item for item in reported.result.criteria if item.per_invocation]
    results_by_turn = zip_longest(*(item.per_invocation for item in criteria))
    rows = list(zip_longest(expected, actual, results_by_turn))
    return [
        Turn(
            number=number,
            of=len(rows),
            expected=wanted,
            actual=happened,
            results=tuple(
                (criterion, result)
                for criterion, result in zip(criteria, results or (), strict=False)
                if result is not None
            ),
        )
        for number, (wanted, happened, results) in enumerate(rows, 1)
    ]


def said(content: Content | None) -> str:
    """The text of a message, with the types of its files in brackets."""
    if content is None:
        return "(none)"
    blobs = [f"[{item.mime_type or 'file'}]" for item in content.items if isinstance(item, Blob)]
    return " ".join(filter(None, [content.text, *blobs]))
