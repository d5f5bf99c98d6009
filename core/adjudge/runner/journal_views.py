"""Records: what the journal holds, as the model's classes again. Reports are made from these alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from adjudge.extension.protocols import ReportedCase
from adjudge.journal.run_journal import Journal, StoredAttempt
from adjudge.model.base import Frozen
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import NOT_FINISHED, USER_AT_FAULT, CaseResult, CriterionResult, RunInfo
from adjudge.model.simulation import Simulation
from adjudge.model.step import Usage, total_usage
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Status, Verdict
from adjudge.verdict.algebra import Rule, case_status, criterion_result


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the agent did, and why it could not go on where it could not."""

    trajectory: Trajectory
    failure: Failure | None
    duration: float
    """Seconds."""


class CaseOrigin(NamedTuple):
    """What results call a case, or a run of a log. Made for every case, so that it costs nothing."""

    eval_set_id: str
    eval_set_file: str | None
    eval_id: str
    source: str | None = None
    run: int | None = None


def log_origin(source: str, run: int | None) -> CaseOrigin:
    """What results call a run of a log."""
    eval_id = "" if run is None else str(run)
    return CaseOrigin(eval_set_id=source, eval_set_file=None, eval_id=eval_id, source=source, run=run)


class Facts(Frozen):
    """What a report says of a trajectory without reading it again."""

    usage: Usage | None = None
    task: str | None = None
    agent: str | None = None
    steps: int = 0
    lost: tuple[str, ...] = ()
    simulation: Simulation | None = None


def facts_of(trajectory: Trajectory) -> Facts:
    """What a report says of a trajectory."""
    steps = trajectory.steps
    return Facts(
        usage=total_usage(step.usage for step in steps),
        task=trajectory.goal or None,
        agent=trajectory.agent,
        steps=len(steps),
        lost=trajectory.lost,
        simulation=trajectory.simulation,
    )


class FileRecord(Frozen):
    """An eval-set file of a run."""

    eval_set_id: str
    path: str
    """As the user wrote it."""
    config: str | None
    cases: int
    """How many of its cases are selected."""
    rules: tuple[Rule, ...]

    def origin(self, eval_id: str) -> CaseOrigin:
        """What results call one of its cases."""
        return CaseOrigin(eval_set_id=self.eval_set_id, eval_set_file=self.path, eval_id=eval_id)


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


def decided(
    origin: CaseOrigin,
    rules: Sequence[Rule],
    repeat: int = 1,
    *,
    failure: Failure | None,
    criteria: Iterable[CriterionResult] = (),
    duration: float | None = None,
    facts: Facts | None = None,
) -> CaseResult:
    """One repeat of one case, decided from its parts; ``duration`` in seconds."""
    criteria = tuple(criteria)
    status: Status
    if failure is None:
        status, failure = case_status(criteria, decides=any(rule.gates for rule in rules))
        if failure is not None and failure.code == USER_AT_FAULT and facts is not None and facts.simulation:
            failure = failure.model_copy(update={"origin": facts.simulation.simulator})
    else:
        status = "error"
    return CaseResult(
        **origin._asdict(),
        **({} if facts is None else dict(facts)),
        repeat=repeat,
        status=status,
        verdict=Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
        error=failure,
        criteria=criteria,
        duration=None if duration is None else round(duration, 6),
    )


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A repeat of a case, all of it in memory."""

    result: CaseResult
    case: EvalCase
    actual: Trajectory


class StoredCase:
    """A repeat of a case that the agent was run on. What was expected and done is read when it is asked for."""

    def __init__(
        self,
        stored: StoredAttempt,
        origin: CaseOrigin,
        rules: Sequence[Rule],
        missing: Failure,
        journal: Journal,
    ) -> None:
        """Decide the result from what the journal holds; a criterion without a result has the error ``missing``."""
        self._stored = stored
        self._journal = journal
        self._case: EvalCase | None = None
        self._actual: Trajectory | None = None
        failure = failure_of(stored)
        self.result = decided(
            origin,
            rules,
            stored.repeat,
            failure=failure,
            criteria=() if failure is not None else _criteria(scores_of(stored), rules, missing),
            duration=stored.duration,
            facts=Facts.model_validate_json(stored.facts),
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


def settled(stored: StoredAttempt) -> tuple[dict[int, CriterionResult], list[tuple[int, int, int]]]:
    """The results that a resumption leaves as they are, by number; and the retryable errors that it measures again."""
    kept: dict[int, CriterionResult] = {}
    again: list[tuple[int, int, int]] = []
    for number, result in scores_of(stored).items():
        if result.error is not None and result.error.retryable:
            again.append((stored.case_no, stored.repeat, number))
        else:
            kept[number] = result
    return kept, again


def _criteria(
    scores: Mapping[int, CriterionResult], rules: Sequence[Rule], missing: Failure
) -> Iterator[CriterionResult]:
    """One result for each rule, by its number: results stand where the rules of their criteria stand."""
    for number, rule in enumerate(rules):
        yield scores.get(number) or criterion_result(
            Measurement(overall=Outcome(state="error", reasoning=missing.message, error=missing)), rule
        )


def file_records(journal: Journal) -> tuple[FileRecord, ...]:
    """The eval-set files of a run; none of a run over logs.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        return tuple(FileRecord.model_validate(item) for item in journal.meta()["files"])


def logs_record(journal: Journal) -> LogsRecord | None:
    """The logs of a run; ``None`` of a run over cases.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        found = journal.meta().get("logs")
        return None if found is None else LogsRecord.model_validate(found)


def read_files(journal: Journal) -> Iterator[Path]:
    """The eval sets, logs and configurations that the run read."""
    with journal.reading():
        folder = Path(journal.meta()["request"]["working_folder"])
    for file in file_records(journal):
        yield folder / file.path
        if file.config is not None:
            yield folder / file.config
    if (logs := logs_record(journal)) is not None:
        yield from (folder / log.source for log in logs.logs)
        if logs.config is not None:
            yield folder / logs.config


def run_info(journal: Journal) -> RunInfo:
    """What is known of the run.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        return RunInfo.model_validate(journal.meta()["run"])


def planned_count(journal: Journal) -> int | None:
    """How many repeats of cases, or runs of logs, there are to do; ``None`` while logs are not read to their end."""
    logs = logs_record(journal)
    if logs is None:
        return sum(file.cases for file in file_records(journal)) * run_info(journal).num_runs
    with journal.reading():
        read = journal.logs_read()
    return sum(read.values()) if len(read) == len(logs.logs) else None


def reported_cases(journal: Journal) -> Iterator[ReportedCase]:
    """Every repeat of every case that was planned, in the order of the plan; or every run of every log.

    What the journal has no result for is an ``error``: nothing that is missing can look like a pass.

    Raises:
        RunError: the journal is damaged.
    """
    with journal.reading():
        logs = logs_record(journal)
        yield from _reported_of_files(journal) if logs is None else _reported_of_logs(journal, logs)


def _reported_of_logs(journal: Journal, logs: LogsRecord) -> Iterator[ReportedCase]:
    missing = _missing(run_info(journal))
    read = journal.logs_read()
    places: dict[int, list[tuple[int, int | None]]] = {}
    for case_no, (log_no, run) in journal.log_runs():
        places.setdefault(log_no, []).append((case_no, run))
    attempts = journal.attempts()
    for log_no, log in enumerate(logs.logs):
        runs = places.get(log_no, [])
        if log_no in read and len(runs) != read[log_no]:
            raise ValueError(f"of {read[log_no]} runs of {log.source} {len(runs)} are there")
        for case_no, run in runs:
            stored = next(attempts, None)
            if stored is None or stored.case_no != case_no:
                raise ValueError(f"what was read of run {run} of {log.source} is missing")
            yield StoredCase(stored, log_origin(log.source, run), logs.rules, missing, journal)
        if log_no not in read:
            origin = log_origin(log.source, None)
            result = decided(origin, logs.rules, failure=missing)
            yield KnownCase(result=result, case=EvalCase(eval_id=""), actual=Trajectory())
    if next(attempts, None) is not None:
        raise ValueError("there is a result that belongs to no log")


def _reported_of_files(journal: Journal) -> Iterator[ReportedCase]:
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
                        raise ValueError(f"a result of case {attempt.eval_id!r} stands at case {eval_id!r}")
                    yield StoredCase(attempt, file.origin(eval_id), file.rules, missing, journal)
                    attempt = next(attempts, None)
                else:  # what the case expects is not known here
                    yield KnownCase(
                        result=decided(file.origin(eval_id), file.rules, repeat, failure=missing),
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
