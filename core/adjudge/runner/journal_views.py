"""What the journal holds, as the model's classes again. Reports are made from these alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.extension.protocols import ReportedCase
from adjudge.journal.run_journal import Journal, Place, StoredAttempt
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.result import CaseResult, CriterionResult, JudgeCalls, RunInfo
from adjudge.model.trajectory import Trajectory
from adjudge.runner.decision import CaseOrigin, Conversation, decided, log_origin, not_finished
from adjudge.verdict.algebra import Rule


class FileRecord(Frozen):
    """An eval-set file of a run."""

    eval_set_id: str
    path: str
    """As the user wrote it."""
    config: str | None
    cases: int
    """How many of its cases are selected."""
    rules: tuple[Rule, ...]


class LogRecord(Frozen):
    """A log of a run."""

    source: str
    """As the user named it, or as it was found."""
    reader: str | None
    """Who reads it, as ``plugin/component``; ``None`` where nobody can."""
    sha256: str | None


class LogsRecord(Frozen):
    """The logs of a run."""

    logs: tuple[LogRecord, ...]
    config: str | None
    """The criteria file."""
    rules: tuple[Rule, ...]


class RunRecord(Frozen):
    """Everything that a journal holds of a run as a whole."""

    run: RunInfo
    request: JsonObject
    plan: JsonObject
    """What decides the results, as it was when the run began."""
    decided_once: JsonObject
    files: tuple[FileRecord, ...]
    """None of a run over logs."""
    logs: LogsRecord | None = None
    warnings: tuple[str, ...]
    judges: dict[str, JudgeCalls] = {}
    """By model: what was asked, over all resumptions."""

    def read(self) -> Iterator[Path]:
        """The eval sets, logs and configurations that the run read."""
        folder = Path(self.request["working_folder"])
        of_logs = () if self.logs is None else self.logs.logs
        yield from (
            folder / name for name in (*(file.path for file in self.files), *(log.source for log in of_logs))
        )
        configs = [file.config for file in self.files] if self.logs is None else [self.logs.config]
        yield from (folder / name for name in configs if name is not None)


def record_of(journal: Journal) -> RunRecord:
    """What the journal holds of the run.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        meta = journal.meta()
        return RunRecord.model_validate({name: meta[name] for name in RunRecord.model_fields if name in meta})


def keep_info(journal: Journal, **changes: object) -> None:
    """Change what the journal holds of the run: fields of ``RunInfo``."""
    info = record_of(journal).run.model_copy(update=changes)
    journal.set_meta({"run": info.model_dump(mode="json")})


def planned_count(journal: Journal) -> int | None:
    """How many repeats of cases, or runs of logs, there are to do; ``None`` while logs are not read to their end."""
    record = record_of(journal)
    if record.logs is None:
        return sum(file.cases for file in record.files) * record.run.num_runs
    with journal.reading():
        read = journal.logs_read()
    return sum(read.values()) if len(read) == len(record.logs.logs) else None


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A repeat of a case, all of it in memory."""

    result: CaseResult
    case: EvalCase
    actual: Trajectory


class StoredCase:
    """A repeat of a case that the agent was run on. What was expected and done is made sense of when it is asked for."""

    def __init__(self, stored: StoredAttempt, journal: Journal) -> None:
        """Read the result."""
        self._stored = stored
        self._journal = journal
        self._case: EvalCase | None = None
        self._actual: Trajectory | None = None
        self.result = CaseResult.model_validate_json(stored.result)

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


def known(journal: Journal, place: Place) -> tuple[Conversation, dict[int, CriterionResult]]:
    """What the agent did in an attempt, and by number the results of criteria that are not measured again.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        stored = StoredCase(journal.attempt(place), journal)
    result = stored.result
    settled = {number: item for number, item in enumerate(result.criteria) if not _is_again(item.error)}
    return Conversation(stored.actual, None, result.duration), settled


def left_to_do(stored: StoredAttempt) -> Literal["play", "score"] | None:
    """What a resumption does of an attempt: retryable errors are tried again, verdicts never change."""
    result = CaseResult.model_validate_json(stored.result)
    if not result.criteria:
        return "play" if _is_again(result.error) else None
    return "score" if any(_is_again(item.error) for item in result.criteria) else None


def _is_again(error: Failure | None) -> bool:
    return error is not None and error.retryable


def case_results(journal: Journal) -> Iterator[CaseResult]:
    """The results of ``reported_cases``, without reading what was expected and done."""
    return (item.result for item in reported_cases(journal, results_only=True))


def reported_cases(journal: Journal, *, results_only: bool = False) -> Iterator[ReportedCase]:
    """Every repeat of every case that was planned, in the order of the plan; or every run of every log.

    What the journal has no result for is an ``error``: nothing that is missing can look like a pass.

    Raises:
        RunError: the journal is damaged.
    """
    record = record_of(journal)
    missing = _missing(record.run)
    with journal.reading():
        attempts = journal.attempts(results_only=results_only)
        attempt = next(attempts, None)
        planned = _of_files(journal, record) if record.logs is None else _of_logs(journal, record.logs)
        for case_no, repeat, origin, rules in planned:
            if attempt is None or attempt.place != (case_no, repeat):
                nothing = Conversation(Trajectory(eval_id=origin.eval_id), missing, None)
                result = decided(origin, rules, repeat, nothing, {}, missing)
                # What the case expects is not known here.
                yield KnownCase(result, EvalCase(eval_id=origin.eval_id), nothing.trajectory)
                continue
            if attempt.eval_id != origin.eval_id:
                raise ValueError(f"a result of case {attempt.eval_id!r} stands at case {origin.eval_id!r}")
            yield StoredCase(attempt, journal)
            attempt = next(attempts, None)
        # Whatever is missing here was a result once: of the rest alone, a failed run could look passed.
        if attempt is not None:
            raise ValueError(f"a result of case {attempt.eval_id!r} belongs to no planned case")


_Planned: TypeAlias = tuple[int | None, int, CaseOrigin, tuple[Rule, ...]]
"""Case number, repeat, what results call it, and its rules."""


def _of_logs(journal: Journal, logs: LogsRecord) -> Iterator[_Planned]:
    read = journal.logs_read()
    places: dict[int, list[tuple[int, int | None]]] = {}
    for case_no, (log_no, run) in journal.log_runs():
        places.setdefault(log_no, []).append((case_no, run))
    for log_no, log in enumerate(logs.logs):
        runs = places.get(log_no, [])
        if log_no in read and len(runs) != read[log_no]:
            raise ValueError(f"of {read[log_no]} runs of {log.source} {len(runs)} are there")
        for case_no, run in runs:
            yield case_no, 1, log_origin(log.source, run), logs.rules
        if log_no not in read:
            yield None, 1, log_origin(log.source, None), logs.rules


def _of_files(journal: Journal, record: RunRecord) -> Iterator[_Planned]:
    cases = journal.planned()
    expected = iter(range(sum(file.cases for file in record.files)))
    for file in record.files:
        for case_no, eval_id in islice(cases, file.cases):
            if case_no != next(expected):
                raise ValueError(f"planned cases are missing before case {eval_id!r} of {file.path}")
            origin = CaseOrigin(file.eval_set_id, file.path, eval_id)
            for repeat in range(1, record.run.num_runs + 1):
                yield case_no, repeat, origin, file.rules
    if next(expected, None) is not None:
        raise ValueError("planned cases are missing at the end")
    if next(cases, None) is not None:
        raise ValueError("there are more planned cases than the files of the run have")


def _missing(run: RunInfo) -> Failure:
    """Why something that was planned has no result."""
    if run.finished_at is None:
        return not_finished(run.name)
    message = f"the run ended without a result for this; finish it with: adjudge resume {run.name}"
    return Failure(code="no_result", message=message, retryable=True)
