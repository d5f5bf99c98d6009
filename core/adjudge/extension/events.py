"""Events: what observer hooks are told. Fields may be added; none is removed within an API version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.model.result import CaseResult, CriterionResult, RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The plan is checked and the first case is about to start."""

    run: str
    cases: int | None
    """Cases times repeats that are still to do; ``None`` over logs, where it shows when all are read."""
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A session with the agent is about to open, or a run was read from a log."""

    run: str
    eval_set_id: str
    eval_id: str
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionScored:
    """One criterion is decided on one case."""

    run: str
    eval_set_id: str
    eval_id: str
    repeat: int
    result: CriterionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A case, or a run of a log, is journalled."""

    run: str
    result: CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """Everything is journalled and reported."""

    run: str
    summary: RunSummary
