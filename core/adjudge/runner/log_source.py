"""The source of trajectories that reads runs from logs, in sequence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from adjudge.errors import AdjudgeError, InputError, PluginError
from adjudge.extension.protocols import ReadOptions
from adjudge.extension.registry import Registered
from adjudge.extension.shortage import shortage_of
from adjudge.extension.specs import TraceReaderSpec
from adjudge.extension.threads import computed
from adjudge.journal.run_journal import Journal
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.trajectory import Trajectory
from adjudge.runner.decision import Conversation, log_origin
from adjudge.runner.journal_views import LogRecord, LogsRecord, left_to_do
from adjudge.runner.plan import PlannedCriterion, Unit, in_turn
from adjudge.runner.request import LogsRequest
from adjudge.runner.told_agent import ToldAgent
from adjudge.runner.traces import Traces


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLog:
    """A log and its reader."""

    path: Path
    reader: Registered[TraceReaderSpec] | AdjudgeError
    """The reader; or the error that prevented finding one, which becomes the result of this log."""
    sha256: str | None
    """SHA-256 of the file; ``None`` if it cannot be read."""

    @property
    def record(self) -> LogRecord:
        """Its description for the journal."""
        reader = None if isinstance(self.reader, AdjudgeError) else self.reader.id
        return LogRecord(source=str(self.path), reader=reader, sha256=self.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSource:
    """The source of a run over logs: the logs, and the criteria that measure every run in them."""

    request: LogsRequest
    logs: tuple[PlannedLog, ...]
    criteria: tuple[PlannedCriterion, ...]
    traces: Traces
    told: ToldAgent = field(default_factory=ToldAgent)
    """The agent's instructions and tools, for runs whose log does not contain them."""

    @property
    def at_once(self) -> int:
        """Maximum number of runs in memory. Criteria make their calls in parallel, so few runs keep a judge busy."""
        return self.request.concurrency

    @property
    def origin(self) -> None:
        """``None``: every log has its own reader."""

    @property
    def _options(self) -> ReadOptions:
        return ReadOptions(task=self.request.task, roles=self.request.roles)

    def document(self) -> JsonObject:
        """All settings that determine the results, as JSON."""
        files = {str(log.path): log.record.model_dump(exclude={"source"}) for log in self.logs}
        criteria = {item.rule.criterion_name: item.document() for item in self.criteria}
        logs = {"files": files, "criteria": criteria, "task": self.request.task}
        roles = {"roles": self.request.roles} if self.request.roles else {}
        return {"logs": {**logs, **roles, **self.told.document()}}

    def records(self) -> tuple[JsonObject, Sequence[str]]:
        """The description of the logs for the journal, as JSON; their runs are known only after reading."""
        record = LogsRecord(
            logs=tuple(log.record for log in self.logs),
            config=self.request.criteria_file,
            rules=tuple(item.rule for item in self.criteria),
        )
        return {"files": [], "logs": record.model_dump(mode="json")}, ()

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int | None]:
        """The runs that the journal does not have yet. Their number is known only after all logs are read."""
        left = self._interrupted(journal) if resuming else []
        read = journal.logs_read()
        if len(read) == len(self.logs):
            return in_turn(left), len(left)
        return self._left(journal, left, set(read)), None

    def _interrupted(self, journal: Journal) -> list[Unit]:
        """The runs in the journal that are not completely measured. Places that could not be read are read again."""
        found: list[Unit] = []
        reread: list[int] = []
        sources = dict(journal.log_runs())
        for stored in journal.attempts(results_only=True):
            left = left_to_do(stored)
            if left == "play":
                reread.append(stored.case_no)
            elif left == "score":
                found.append(self._unit(stored.case_no, *sources[stored.case_no]))
        journal.forget_log_runs(reread)
        return found

    def _unit(self, case_no: int, log_no: int, run: int | None, played: Conversation | None = None) -> Unit:
        """One run in a log; or the place from which a log could not be read."""
        origin = log_origin(str(self.logs[log_no].path), run)
        return Unit(
            place=(case_no, 1),
            origin=origin,
            criteria=self.criteria,
            read=partial(EvalCase, eval_id=origin.eval_id),
            played=played,
            log_no=log_no,
        )

    async def _left(self, journal: Journal, left: Sequence[Unit], read: set[int]) -> AsyncIterator[Unit]:
        for item in left:
            yield item
        known: dict[int, dict[int | None, int]] = {}
        for case_no, (log_no, run) in journal.log_runs():
            known.setdefault(log_no, {})[run] = case_no
        numbers = _free_numbers(case_no for runs in known.values() for case_no in runs.values())
        for log_no, log in enumerate(self.logs):
            if log_no in read:
                continue
            runs = 0
            async for run, conversation in self._runs(log):
                runs += 1
                if run in known.get(log_no, {}):
                    continue
                yield self._unit(next(numbers), log_no, run, conversation)
            journal.add_log_read(log_no, runs)

    async def runs(self) -> AsyncIterator[tuple[int | None, Conversation]]:
        """The runs of all logs, each with its number in its log."""
        for log in self.logs:
            async for found in self._runs(log):
                yield found

    async def _runs(self, log: PlannedLog) -> AsyncIterator[tuple[int | None, Conversation]]:
        """The runs of a log with their numbers; if reading fails, a last one with the error."""
        if isinstance(log.reader, AdjudgeError):
            yield None, _unread(log, log.reader)
            return
        runs: Iterator[Trajectory] | None = None
        number = 0
        while True:
            try:
                async with asyncio.timeout(self.request.timeout):
                    if runs is None:
                        runs = self.traces.read(log.path, log.reader, self._options)
                    trajectory = await computed(_next, runs, in_thread=True)
            except Exception as error:
                yield (number + 1 if number else None), _unread(log, error)
                return
            if trajectory is None:
                if not number:
                    yield None, _unread(log, InputError([]), "there is no run in this log")
                return
            number += 1
            task = self.request.task
            if task is not None and trajectory.task is None:
                trajectory = trajectory.model_copy(update={"task": task})
            trajectory = self.told.added_to(trajectory)
            nothing = trajectory.nothing_of_the_agent
            failure = None
            if nothing is not None:
                failure = Failure(code="no_steps", message=nothing, origin=log.reader.id)
            yield number, Conversation(trajectory, failure, 0.0)

    async def aclose(self) -> str | None:
        """Does nothing: logs need no release."""
        return None


def _next(runs: Iterator[Trajectory]) -> Trajectory | None:
    return next(runs, None)


def _free_numbers(taken: Iterator[int]) -> Iterator[int]:
    """Numbers of cases that no run has, from 0."""
    known = set(taken)
    number = 0
    while True:
        if number not in known:
            yield number
        number += 1


def _unread(log: PlannedLog, error: Exception, message: str | None = None) -> Conversation:
    """The placeholder for a run that could not be read."""
    code, retryable = "log_unreadable", False
    if isinstance(error, TimeoutError):
        # Retryable: the disk may be less busy at the next attempt.
        code, said, retryable = "read_timeout", "reading it took longer than the time limit (--timeout)", True
    elif isinstance(error, PluginError):
        code, said, retryable = "reader_raised", str(error), shortage_of(error) is not None
    elif isinstance(error, AdjudgeError):
        said = message or str(error)
    else:
        code, said = "reader_raised", f"{type(error).__name__}: {error}"
    origin = None if isinstance(log.reader, AdjudgeError) else log.reader.id
    return Conversation(
        Trajectory(), Failure(code=code, message=said, origin=origin, retryable=retryable), 0.0
    )
