"""The contents of a journal as classes of the model. Reports only use these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import RunError
from adjudge.extension.protocols import ReportedCase
from adjudge.journal.run_journal import Journal, Place, StoredAttempt
from adjudge.model.base import Frozen, JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.result import CaseResult, CriterionResult, JudgeCalls, RunInfo, RunSummary
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Status
from adjudge.runner.decision import CaseOrigin, Conversation, decided, log_origin, not_finished
from adjudge.verdict.algebra import Rule


class FileRecord(Frozen):
    """An eval-set file of a run."""

    eval_set_id: str
    path: str
    """As the user wrote it."""
    config: str | None
    cases: int
    """The number of selected cases."""
    rules: tuple[Rule, ...]


class LogRecord(Frozen):
    """A log of a run."""

    source: str
    """The path of the log."""
    reader: str | None
    """The trace reader, as ``plugin/component``; ``None`` if no reader knows the file."""
    sha256: str | None


class LogsRecord(Frozen):
    """The logs of a run."""

    logs: tuple[LogRecord, ...]
    config: str | None
    """The criteria file."""
    rules: tuple[Rule, ...]


class KeptSummary(Frozen):
    """The stored summary of a finished run; ``finished_at`` and ``results`` show whether it is still current."""

    finished_at: str
    results: int
    status: Status
    """The status of the run as a whole."""
    summary: RunSummary | None
    """``None`` for a run with repeats: it would contain every case."""


class RunRecord(Frozen):
    """The metadata of a run in its journal: everything except the cases."""

    run: RunInfo
    request: JsonObject
    plan: JsonObject
    """The settings that determine the results, as they were at the start of the run."""
    decided_once: JsonObject
    files: tuple[FileRecord, ...]
    """Empty for a run over logs."""
    logs: LogsRecord | None = None
    warnings: tuple[str, ...]
    judges: dict[str, JudgeCalls] = {}
    """Calls to judges over all resumptions, by model."""
    summary: KeptSummary | None = None
    """``None`` until the run is finished."""

    def read(self) -> Iterator[Path]:
        """The paths of the eval sets, logs and configurations that the run read."""
        folder = Path(self.request["working_folder"])
        of_logs = () if self.logs is None else self.logs.logs
        yield from (
            folder / name for name in (*(file.path for file in self.files), *(log.source for log in of_logs))
        )
        configs = [file.config for file in self.files] if self.logs is None else [self.logs.config]
        yield from (folder / name for name in configs if name is not None)


def record_of(journal: Journal) -> RunRecord:
    """Read the metadata of the run.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        meta = journal.meta()
        return RunRecord.model_validate({name: meta[name] for name in RunRecord.model_fields if name in meta})


def keep_info(journal: Journal, **changes: object) -> None:
    """Update the ``RunInfo`` in the journal; ``changes`` are its fields."""
    info = record_of(journal).run.model_copy(update=changes)
    journal.set_meta({"run": info.model_dump(mode="json")})


def planned_count(journal: Journal) -> int | None:
    """The number of cases times repeats, or of runs in the logs; ``None`` until all logs are read to their end."""
    record = record_of(journal)
    if record.logs is None:
        return sum(file.cases for file in record.files) * record.run.num_runs
    with journal.reading():
        read = journal.logs_read()
    return sum(read.values()) if len(read) == len(record.logs.logs) else None


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A repeat of a case, completely in memory."""

    result: CaseResult
    case: EvalCase
    actual: Trajectory


class StoredCase:
    """A repeat of a case in the journal. Its case and trajectory are parsed on first access."""

    def __init__(self, stored: StoredAttempt, journal: Journal) -> None:
        """Parse the result. If later parsing fails, ``journal`` is reported as damaged."""
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
        """The agent's trajectory; partial if the agent failed."""
        if self._actual is None:
            with self._journal.reading():
                self._actual = Trajectory.model_validate_json(self._stored.trajectory)
        return self._actual


def known(journal: Journal, place: Place) -> tuple[Conversation, dict[int, CriterionResult]]:
    """The conversation of an attempt, and the results of criteria that are not measured again, by criterion number.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        stored = StoredCase(journal.attempt(place), journal)
    result = stored.result
    settled = {number: item for number, item in enumerate(result.criteria) if not _is_again(item.error)}
    return Conversation(stored.actual, None, result.duration), settled


def left_to_do(stored: StoredAttempt) -> Literal["play", "score"] | None:
    """What a resumption repeats of an attempt: only retryable errors are tried again; ``None``: nothing."""
    result = CaseResult.model_validate_json(stored.result)
    if not result.criteria:
        return "play" if _is_again(result.error) else None
    return "score" if any(_is_again(item.error) for item in result.criteria) else None


def _is_again(error: Failure | None) -> bool:
    return error is not None and error.retryable


def case_results(journal: Journal) -> Iterator[CaseResult]:
    """The results of ``reported_cases``, without reading cases and trajectories."""
    return (item.result for item in reported_cases(journal, results_only=True))


def reported_cases(journal: Journal, *, results_only: bool = False) -> Iterator[ReportedCase]:
    """Every planned repeat of every case in the order of the plan; or every run of every log.

    A missing result is an ``error``, so that it cannot look like a pass.

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
                yield _without_result(origin, rules, repeat, missing)
                continue
            if attempt.eval_id != origin.eval_id:
                raise ValueError(f"a result of case {attempt.eval_id!r} stands at case {origin.eval_id!r}")
            yield StoredCase(attempt, journal)
            attempt = next(attempts, None)
        # A result without a planned case means a damaged plan: without that result a failed run could look passed.
        if attempt is not None:
            raise ValueError(f"a result of case {attempt.eval_id!r} belongs to no planned case")


def repeats_of_case(journal: Journal, number: int) -> tuple[ReportedCase, ...]:
    """The repeats of one case, without reading the others.

    Args:
        journal: The run.
        number: The index of the case in the plan, or of the run in the logs, from 0.

    Raises:
        RunError: there is no such case, or the journal is damaged.
    """
    record = record_of(journal)
    missing = _missing(record.run)
    with journal.reading():
        planned = _of_files(journal, record) if record.logs is None else _of_logs(journal, record.logs)
        repeats = record.run.num_runs if record.logs is None else 1
        wanted = [] if number < 0 else list(islice(planned, number * repeats, (number + 1) * repeats))
        found = [_known_or_missing(journal, item, missing) for item in wanted]
    if not found:
        raise RunError(f"run {record.run.name!r} has no case number {number}")
    return tuple(found)


def _known_or_missing(journal: Journal, planned: _Planned, missing: Failure) -> ReportedCase:
    case_no, repeat, origin, rules = planned
    stored = None if case_no is None else journal.attempt_if_any((case_no, repeat))
    return _without_result(origin, rules, repeat, missing) if stored is None else StoredCase(stored, journal)


def _without_result(
    origin: CaseOrigin, rules: tuple[Rule, ...], repeat: int, missing: Failure
) -> ReportedCase:
    nothing = Conversation(Trajectory(eval_id=origin.eval_id), missing, None)
    result = decided(origin, rules, repeat, nothing, {}, missing)
    # The case itself is not in the journal, so it has no expectation.
    return KnownCase(result, EvalCase(eval_id=origin.eval_id), nothing.trajectory)


_Planned: TypeAlias = tuple[int | None, int, CaseOrigin, tuple[Rule, ...]]
"""Case number (``None`` if unknown), repeat, identity in results, and the rules of its criteria."""


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
    """The error of a planned case without a result."""
    if run.finished_at is None:
        return not_finished(run.name)
    message = f"the run ended without a result for this; finish it with: adjudge resume {run.name}"
    return Failure(code="no_result", message=message, retryable=True)
