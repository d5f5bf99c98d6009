"""Resumption: what an interrupted run has still to do."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.journal.run_journal import Journal
from adjudge.model.result import CriterionResult
from adjudge.runner.engine import Work
from adjudge.runner.journal_views import Conversation, conversation_of, failure_of, scores_of
from adjudge.runner.plan import Plan


def remaining(plan: Plan, journal: Journal) -> tuple[Iterator[Work], int]:
    """What is still to do, and how much. Retryable errors are forgotten, so that they are tried again."""
    attempts = journal.attempts()
    attempt = next(attempts, None)
    # What is kept in memory is what was under way when the run was interrupted, not what is finished.
    todo: dict[tuple[int, int], tuple[Conversation | None, dict[int, CriterionResult]]] = {}
    again: list[tuple[int, int]] = []
    rescored: list[tuple[int, int, int]] = []
    for unit in plan.units():
        key = (unit.case_no, unit.repeat)
        if attempt is None or (attempt.case_no, attempt.repeat) != key:
            todo[key] = (None, {})
            continue
        stored, failure, scored = attempt, failure_of(attempt), scores_of(attempt)
        attempt = next(attempts, None)
        if failure is None:
            kept = {number: item for number, item in scored.items() if not _retryable(item)}
            rescored += [(*key, number) for number in scored.keys() - kept.keys()]
            if len(kept) < len(unit.file.criteria):
                todo[key] = (conversation_of(stored), kept)
        elif failure.retryable:
            again.append(key)
            todo[key] = (None, {})
    journal.forget_attempts(again)
    journal.forget_scores(rescored)
    total = len(todo)
    return (
        Work(unit, *todo.pop((unit.case_no, unit.repeat)))
        for unit in plan.units()
        if (unit.case_no, unit.repeat) in todo
    ), total


def _retryable(result: CriterionResult) -> bool:
    return result.error is not None and result.error.retryable
