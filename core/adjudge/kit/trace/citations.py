"""Evidence of what code counted: quotes that stand in the log, or a scan that found nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from adjudge.kit.trace.locations import place_of
from adjudge.model.evidence import Absence, Citation, Evidence
from adjudge.model.items import Item
from adjudge.model.trajectory import Trajectory

_LONGEST: Final = 200
"""Characters of a quote: it is to be found and recognised, not to be read as a whole."""

_FEWEST: Final = 3
"""Visible characters of a quote. Fewer stand everywhere, and prove nothing."""

_MOST: Final = 20
"""Citations of one outcome. A loop of a thousand steps is proved by its first ones."""

_NUMBERS: Final = 10
"""Step numbers in a reason."""


def quoted(step: int, field: str, text: str) -> Citation | None:
    """The beginning of a text as a citation; ``None`` where it has too few visible characters to be found."""
    quote = text[:_LONGEST].strip()
    visible = sum(char.isprintable() and not char.isspace() for char in quote)
    return Citation(step=step, field=field, quote=quote) if visible >= _FEWEST else None


def cited(step: int, item: Item) -> Citation | None:
    """An item of a step as a citation; ``None`` where it has no words, or too few."""
    place = place_of(item)
    return None if place is None else quoted(step, *place)


def citing(citations: Iterable[Citation | None]) -> Evidence:
    """The first citations, each once."""
    found = dict.fromkeys(citation for citation in citations if citation is not None)
    return Evidence(citations=tuple(found)[:_MOST])


def scanned(trajectory: Trajectory, scan: str) -> Evidence:
    """That a scan of all steps found nothing; no evidence for a run without steps."""
    steps = trajectory.steps
    if not steps:
        return Evidence()
    return Evidence(absences=(Absence(steps=(steps[0].number, steps[-1].number), scan=scan),))


def counted(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(steps: Sequence[int]) -> str:
    """``step 3``, ``steps 3, 5 and 9``, each once; of many the first ones."""
    numbers = list(dict.fromkeys(steps))
    if len(numbers) == 1:
        return f"step {numbers[0]}"
    if len(numbers) > _NUMBERS:
        shown = ", ".join(map(str, numbers[:_NUMBERS]))
        return f"steps {shown} and {len(numbers) - _NUMBERS} more"
    return f"steps {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
