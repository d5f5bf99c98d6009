"""Cases: an agent is run on the cases of eval sets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from adjudge.adk.eval_set_file import CaseEntry, EvalSetFile
from adjudge.extension.guard import closed
from adjudge.extension.protocols import ReportedCase
from adjudge.journal.run_journal import Journal
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.result import CriterionResult
from adjudge.model.trajectory import Trajectory
from adjudge.runner.conversation import converse
from adjudge.runner.criteria import decides_anything, lacking
from adjudge.runner.journal_views import (
    CaseOrigin,
    Conversation,
    FileRecord,
    conversation_of,
    failure_of,
    settled,
)
from adjudge.runner.plan import PlannedAgent, PlannedCriterion, Work, in_turn
from adjudge.runner.request import RunRequest
from adjudge.runner.simulation import PlannedSimulator
from adjudge.verdict.algebra import nothing_measured

_SCORING_LIMIT: Final = 64
"""Cases that are scored at a time. Judges wait for the network, so this is far more than cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """An eval-set file, the cases selected from it, and the criteria that hold for it."""

    eval_set: EvalSetFile
    shown_path: str
    """The path as results show it: as the user wrote it."""
    entries: Sequence[CaseEntry]
    config_source: str | None
    criteria: tuple[PlannedCriterion, ...]
    simulator: PlannedSimulator | None = None
    """Who plays the users of its scenarios; ``None`` where it has none."""

    @property
    def record(self) -> FileRecord:
        """What the journal keeps of it."""
        return FileRecord(
            eval_set_id=self.eval_set.eval_set_id,
            path=self.shown_path,
            config=self.config_source,
            cases=len(self.entries),
            rules=tuple(item.rule for item in self.criteria),
        )

    def document(self) -> JsonObject:
        """What decides its results, as JSON."""
        selected = len(self.entries) < len(self.eval_set.entries)
        simulated = {} if self.simulator is None else {"user_simulator": self.simulator.document()}
        return {
            "eval_set_id": self.eval_set.eval_set_id,
            "sha256": self.eval_set.sha256,
            "cases": [entry.eval_id for entry in self.entries] if selected else "all",
            "config": self.config_source,
            "criteria": {item.rule.criterion_name: item.document() for item in self.criteria},
            **simulated,
        }


@dataclass(frozen=True, slots=True)
class CaseUnit:
    """One repeat of one case."""

    case_no: int
    repeat: int
    file: PlannedFile
    entry: CaseEntry
    log_no = None

    @property
    def origin(self) -> CaseOrigin:
        """What results call it."""
        return CaseOrigin(self.file.eval_set.eval_set_id, self.file.shown_path, self.entry.eval_id)

    @property
    def criteria(self) -> Sequence[PlannedCriterion]:
        """What it is measured by."""
        return self.file.criteria

    def read(self) -> EvalCase:
        """The case."""
        return self.file.eval_set.read(self.entry)

    def lacking(self, planned: PlannedCriterion) -> str:
        """What a criterion needs and the case does not have."""
        return lacking(planned, self.entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSource:
    """An agent, and the cases that it is run on."""

    request: RunRequest
    agent: PlannedAgent
    files: tuple[PlannedFile, ...]

    @property
    def criteria(self) -> Sequence[PlannedCriterion]:
        """The criteria of all files in turn."""
        return [item for file in self.files for item in file.criteria]

    @property
    def at_once(self) -> int:
        """Cases that wait for their scores hold their trajectory in memory: they are bounded too."""
        return self.request.concurrency + _SCORING_LIMIT

    @property
    def origin(self) -> str:
        """The adapter of the agent."""
        return self.agent.component.id

    @property
    def cases(self) -> int:
        """Cases, repeats not counted."""
        return sum(len(file.entries) for file in self.files)

    def document(self) -> JsonObject:
        """What decides the results, as JSON."""
        return {
            "agent": self.agent.document(),
            "eval_sets": {file.shown_path: file.document() for file in self.files},
        }

    def records(self) -> tuple[JsonObject, Iterator[str]]:
        """What the journal keeps of the files, as JSON; and their cases."""
        files = [file.record.model_dump(mode="json") for file in self.files]
        return {"files": files}, (entry.eval_id for file in self.files for entry in file.entries)

    def units(self) -> Iterator[CaseUnit]:
        """Every repeat of every case; the repeats of one case are beside one another."""
        case_no = 0
        for file in self.files:
            for entry in file.entries:
                for repeat in range(1, self.request.num_runs + 1):
                    yield CaseUnit(case_no, repeat, file, entry)
                case_no += 1

    def work(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Work], int]:
        """What the journal does not have yet, and how much."""
        if not resuming:
            return in_turn(map(self.fresh, self.units())), self.cases * self.request.num_runs
        return self._remaining(journal)

    def fresh(self, unit: CaseUnit, done: Callable[[ReportedCase], None] | None = None) -> Work:
        """All of a unit, which has not begun yet; ``done`` is told of it in the end."""
        return Work(unit, play=partial(self._play, unit), done=done)

    def _remaining(self, journal: Journal) -> tuple[AsyncIterator[Work], int]:
        """What is still to do. Retryable errors are forgotten, so that they are tried again."""
        attempts = journal.attempts()
        attempt = next(attempts, None)
        # What is kept in memory is what was under way when the run was interrupted, not what is finished.
        todo: dict[tuple[int, int], tuple[Conversation | None, dict[int, CriterionResult]]] = {}
        again: list[tuple[int, int]] = []
        rescored: list[tuple[int, int, int]] = []
        for unit in self.units():
            key = (unit.case_no, unit.repeat)
            if attempt is None or (attempt.case_no, attempt.repeat) != key:
                todo[key] = (None, {})
                continue
            stored, failure = attempt, failure_of(attempt)
            attempt = next(attempts, None)
            if failure is None:
                kept, retried = settled(stored)
                rescored += retried
                if len(kept) < len(unit.file.criteria):
                    todo[key] = (conversation_of(stored), kept)
            elif failure.retryable:
                again.append(key)
                todo[key] = (None, {})
        journal.forget_attempts(again)
        journal.forget_scores(rescored)
        total = len(todo)

        def left() -> Iterator[Work]:
            for unit in self.units():
                if (found := todo.pop((unit.case_no, unit.repeat), None)) is not None:
                    played, scored = found
                    play = partial(self._play, unit)
                    yield Work(unit, played, play, is_kept=played is not None, scored=scored)

        return in_turn(left()), total

    async def _play(self, unit: CaseUnit, case: EvalCase) -> Conversation:
        """Talk to the agent as the case wants it; a user is not simulated where nothing would be measured."""
        simulator = unit.file.simulator if unit.entry.is_scenario else None
        if unit.entry.is_scenario and not decides_anything(unit.criteria, unit.entry):
            return Conversation(Trajectory(eval_id=case.eval_id), nothing_measured(), 0.0)
        return await converse(
            self.agent,
            case,
            unit.repeat,
            self.request.timeout,
            eval_set_id=unit.file.eval_set.given_id,
            simulator=simulator,
        )

    async def aclose(self) -> str | None:
        """Release the agent."""
        return await closed(self.agent.component, self.agent.adapter)
