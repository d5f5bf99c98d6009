"""Records: what the journal holds, as the model's classes again. Reports are made from these alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from adjudge.extension.protocols import ReportedCase
from adjudge.journal.run_journal import Journal, StoredAttempt
from adjudge.model.base import Frozen
from adjudge.model.eval_set import EvalCase
from adjudge.model.measurement import Failure, Measurement, Outcome
from adjudge.model.result import (
    NOT_FINISHED,
    NOT_SIMULATED,
    CaseResult,
    CriterionResult,
    RunInfo,
    Status,
    Verdict,
)
from adjudge.model.step import Usage
from adjudge.model.trajectory import Trajectory
from adjudge.verdict.algebra import Rule, case_status, criterion_result


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the agent did, and why it could not go on where it could not."""

    trajectory: Trajectory
    failure: Failure | None
    duration: float
    """Seconds."""


def not_simulated(eval_id: str) -> Conversation:
    """What becomes of a case whose user would have to be simulated."""
    failure = Failure(
        code=NOT_SIMULATED, message="the case has a conversation_scenario; no user is simulated yet"
    )
    return Conversation(Trajectory(eval_id=eval_id), failure, 0.0)


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
    criteria: Iterable[CriterionResult],
    duration: float | None,
    usage: Usage | None,
) -> CaseResult:
    """One repeat of one case, decided from its parts; ``duration`` in seconds."""
    criteria = tuple(criteria)
    status: Status
    if failure is not None and failure.code == NOT_SIMULATED:
        inapplicable = Measurement(overall=Outcome.not_applicable(failure.message))
        status, criteria = (
            "not_applicable",
            tuple(criterion_result(inapplicable, rule) for rule in file.rules),
        )
    elif failure is None:
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
        criteria=criteria,
        duration=None if duration is None else round(duration, 6),
        usage=usage,
    )


@dataclass(frozen=True, slots=True)
class MissingCase:
    """A repeat of a case that was planned and has no result. What the case expects is not known here."""

    result: CaseResult
    case: EvalCase
    actual: Trajectory


class StoredCase:
    """A repeat of a case that the agent was run on. What was expected and done is read when it is asked for."""

    def __init__(self, stored: StoredAttempt, file: FileRecord, missing: Failure, journal: Journal) -> None:
        """Decide the result from what the journal holds; a criterion without a result has the error ``missing``."""
        self._stored = stored
        self._journal = journal
        self._case: EvalCase | None = None
        self._actual: Trajectory | None = None
        failure = failure_of(stored)
        self.result = decided(
            file,
            stored.eval_id,
            stored.repeat,
            failure=failure,
            criteria=() if failure is not None else _criteria(scores_of(stored), file.rules, missing),
            duration=stored.duration,
            usage=None if stored.usage is None else Usage.model_validate_json(stored.usage),
        )

    @property
    def case(self) -> EvalCase:
        """The case."""
        if self._case is None:
            with self._journal.reading():
                self._case = EvalCase.model_validate_json(self._stored.case)
        return self._case

    @property
    def actual(self) -> Trajectory:
        """What the agent did; partial where it failed."""
        if self._actual is None:
            with self._journal.reading():
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


def _criteria(
    scores: Mapping[int, CriterionResult], rules: Sequence[Rule], missing: Failure
) -> Iterator[CriterionResult]:
    """One result for each rule, by its number: results stand where the rules of their criteria stand."""
    for number, rule in enumerate(rules):
        yield scores.get(number) or criterion_result(
            Measurement(overall=Outcome(state="error", reasoning=missing.message, error=missing)), rule
        )


def file_records(journal: Journal) -> tuple[FileRecord, ...]:
    """The eval-set files of a run.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        return tuple(FileRecord.model_validate(item) for item in journal.meta()["files"])


def read_files(journal: Journal) -> Iterator[Path]:
    """The eval sets and configurations that the run read."""
    with journal.reading():
        folder = Path(journal.meta()["request"]["working_folder"])
    for file in file_records(journal):
        yield folder / file.path
        if file.config is not None:
            yield folder / file.config


def run_info(journal: Journal) -> RunInfo:
    """What is known of the run.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        return RunInfo.model_validate(journal.meta()["run"])


def reported_cases(journal: Journal) -> Iterator[ReportedCase]:
    """Every repeat of every case that was planned, in the order of the plan.

    What the journal has no result for is an ``error``: nothing that is missing can look like a pass.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        run = run_info(journal)
        missing = _missing(run)
        attempts = journal.attempts()
        attempt = next(attempts, None)
        cases = journal.planned()
        files = file_records(journal)
        expected = iter(range(sum(file.cases for file in files)))
        for file in files:
            for case_no, eval_id in islice(cases, file.cases):
                if case_no != next(expected):
                    raise ValueError(f"planned cases are missing before case {eval_id!r} of {file.path}")
                for repeat in range(1, run.num_runs + 1):
                    if attempt is not None and (attempt.case_no, attempt.repeat) == (case_no, repeat):
                        if attempt.eval_id != eval_id:
                            raise ValueError(
                                f"a result of case {attempt.eval_id!r} stands at case {eval_id!r}"
                            )
                        yield StoredCase(attempt, file, missing, journal)
                        attempt = next(attempts, None)
                    else:
                        yield MissingCase(
                            result=decided(
                                file, eval_id, repeat, failure=missing, criteria=(), duration=None, usage=None
                            ),
                            case=EvalCase(eval_id=eval_id),
                            actual=Trajectory(eval_id=eval_id),
                        )
        # Whatever is missing here was a result once: of the rest alone, a failed run could look passed.
        if next(expected, None) is not None:
            raise ValueError("planned cases are missing at the end")
        if next(cases, None) is not None:
            raise ValueError("there are more planned cases than the files of the run have")
        if attempt is not None:
            raise ValueError(f"a result of case {attempt.eval_id!r} belongs to no planned case")


def _missing(run: RunInfo) -> Failure:
    """Why something that was planned has no result."""
    if run.finished_at is None:
        code, what = NOT_FINISHED, "the run was interrupted before this was done"
    else:
        code, what = "no_result", "the run ended without a result for this"
    message = f"{what}; finish it with: adjudge resume {run.name}"
    return Failure(code=code, message=message, retryable=True)
