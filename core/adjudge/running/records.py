"""Records: what the journal holds, as the model's classes again. Reports are made from these alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudge.extension.protocols import ReportedCase
from adjudge.model.base import Frozen
from adjudge.model.eval_set import EvalCase
from adjudge.model.measurement import Failure
from adjudge.model.result import CaseResult, CriterionResult, Verdict
from adjudge.model.step import Usage
from adjudge.model.trajectory import Trajectory
from adjudge.statistics.algebra import Rule, case_status
from adjudge.storage.journal import Journal, StoredAttempt


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the agent did, and why it could not go on where it could not."""

    trajectory: Trajectory
    failure: Failure | None
    duration: float
    """Seconds."""


class FileRecord(Frozen):
    """An eval-set file of a run."""

    eval_set_id: str
    path: str
    """As the user wrote it."""
    config: str | None
    cases: int
    """How many of its cases are selected."""
    rules: tuple[Rule, ...]


def decided(
    file: FileRecord,
    eval_id: str,
    repeat: int,
    *,
    failure: Failure | None,
    criteria: Sequence[CriterionResult],
    duration: float,
    usage: Usage | None,
) -> CaseResult:
    """One repeat of one case, decided from its parts."""
    if failure is None:
        status, failure = case_status(criteria)
    else:
        status = "error"
    return CaseResult(
        eval_set_id=file.eval_set_id,
        eval_set_file=file.path,
        eval_id=eval_id,
        repeat=repeat,
        status=status,
        verdict=Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
        error=failure,
        criteria=tuple(criteria),
        duration=round(duration, 6),
        usage=usage,
    )


class StoredCase:
    """A finished repeat of a case. What was expected and done is read when it is asked for."""

    def __init__(self, stored: StoredAttempt, file: FileRecord) -> None:
        """Decide the result from what the journal holds."""
        self._stored = stored
        self._case: EvalCase | None = None
        self._actual: Trajectory | None = None
        scores = scores_of(stored)
        self.result = decided(
            file,
            stored.eval_id,
            stored.repeat,
            failure=failure_of(stored),
            criteria=[scores[number] for number in sorted(scores)],
            duration=stored.duration,
            usage=None if stored.usage is None else Usage.model_validate_json(stored.usage),
        )

    @property
    def case(self) -> EvalCase:
        """The case."""
        if self._case is None:
            self._case = EvalCase.model_validate_json(self._stored.case)
        return self._case

    @property
    def actual(self) -> Trajectory:
        """What the agent did; partial where it failed."""
        if self._actual is None:
            self._actual = Trajectory.model_validate_json(self._stored.trajectory)
        return self._actual


def failure_of(stored: StoredAttempt) -> Failure | None:
    """Why the agent could not go on, from the journal."""
    return None if stored.failure is None else Failure.model_validate_json(stored.failure)


def conversation_of(stored: StoredAttempt) -> Conversation:
    """What the agent did, from the journal."""
    return Conversation(
        trajectory=Trajectory.model_validate_json(stored.trajectory),
        failure=failure_of(stored),
        duration=stored.duration,
    )


def scores_of(stored: StoredAttempt) -> dict[int, CriterionResult]:
    """The results of criteria, by number, from the journal."""
    return {number: CriterionResult.model_validate_json(data) for number, data in stored.scores.items()}


def reported_cases(files: Sequence[FileRecord], journal: Journal) -> Iterator[ReportedCase]:
    """Every repeat of every case that the journal holds, in the order of the plan."""
    for stored in journal.attempts():
        yield StoredCase(stored, _file_of(files, stored.case_no))


def _file_of(files: Sequence[FileRecord], case_no: int) -> FileRecord:
    for file in files:
        if case_no < file.cases:
            return file
        case_no -= file.cases
    raise IndexError("the run has no such case")
