"""What is known of the judges of a plan, where it speaks against them."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.errors import RunError
from adjudge.journal.judge_notes import JudgeNotes
from adjudge.runner.plan import PlannedCriterion


def doubts_about(criteria: Iterable[PlannedCriterion]) -> tuple[str, ...]:
    """The warnings of the notes about every judge on its criterion."""
    notes = JudgeNotes()
    found: list[str] = []
    try:
        for criterion in criteria:
            spec = criterion.component.spec
            for document in criterion.judges:
                for model, backend in zip(document["models"], document["backends"], strict=True):
                    known = notes.of(model, backend, criterion.component.id, spec.version)
                    found += () if known is None else known.warnings
    except RunError as error:
        found.append(str(error))
    return tuple(dict.fromkeys(found))
