"""Evidence for results computed by code: quotes from the log, or a search without a finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from adjudge.kit.trace.locations import place_of
from adjudge.model.evidence import Absence, Citation, Evidence
from adjudge.model.items import Item
from adjudge.model.trajectory import Trajectory

_LONGEST: Final = 200
"""The maximum length of a quote in characters, enough to find and recognise the place."""

_FEWEST: Final = 3
"""The minimum number of visible characters of a quote. Shorter quotes occur everywhere and prove nothing."""

_MOST: Final = 20
"""The maximum number of citations of one outcome, enough to prove a loop of many steps."""

_NUMBERS: Final = 10
"""The maximum number of step numbers in a reason."""


def quoted(step: int, field: str, text: str) -> Citation | None:
    """Cite the beginning of a text; ``None`` if it has too few visible characters."""
    quote = text[:_LONGEST].strip()
    visible = sum(char.isprintable() and not char.isspace() for char in quote)
    if visible < _FEWEST:
        return None
    return Citation(step=step, field=field, quote=quote, shortened=bool(text[_LONGEST:].strip()))


def cited(step: int, item: Item) -> Citation | None:
    """Cite an item of a step; ``None`` if it has no text, or too little."""
    place = place_of(item)
    return None if place is None else quoted(step, *place)


def citing(citations: Iterable[Citation | None]) -> Evidence:
    """Evidence with the first citations, without duplicates."""
    found = dict.fromkeys(citation for citation in citations if citation is not None)
    return Evidence(citations=tuple(found)[:_MOST])


def scanned(trajectory: Trajectory, scan: str) -> Evidence:
    """Evidence that a search of all steps found nothing; empty for a run without steps."""
    steps = trajectory.steps
    if not steps:
        return Evidence()
    return Evidence(absences=(Absence(steps=(steps[0].number, steps[-1].number), scan=scan),))


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 call``, ``2 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(steps: Sequence[int]) -> str:
    """List step numbers without duplicates: ``step 3``, ``steps 3, 5 and 9``; long lists are truncated."""
    numbers = list(dict.fromkeys(steps))
    if len(numbers) == 1:
        return f"step {numbers[0]}"
    if len(numbers) > _NUMBERS:
        shown = ", ".join(map(str, numbers[:_NUMBERS]))
        return f"steps {shown} and {len(numbers) - _NUMBERS} more"
    return f"steps {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
