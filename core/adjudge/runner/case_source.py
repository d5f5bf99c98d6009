"""Cases: an agent is run on the cases of eval sets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from adjudge.adk.eval_set_file import CaseEntry, EvalSetFile
from adjudge.extension.guard import closed
from adjudge.journal.run_journal import Journal, Place
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.model.trajectory import Trajectory
from adjudge.runner.conversation import converse
from adjudge.runner.criteria import decides_anything, lacking
from adjudge.runner.decision import CaseOrigin, Conversation
from adjudge.runner.journal_views import FileRecord, left_to_do
from adjudge.runner.plan import PlannedAgent, PlannedCriterion, Unit, in_turn
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
    def total(self) -> int:
        """Repeats of cases."""
        return sum(len(file.entries) for file in self.files) * self.request.num_runs

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

    def _places(self) -> Iterator[tuple[Place, PlannedFile, CaseEntry]]:
        """Every repeat of every case; the repeats of one case are beside one another."""
        case_no = 0
        for file in self.files:
            for entry in file.entries:
                for repeat in range(1, self.request.num_runs + 1):
                    yield (case_no, repeat), file, entry
                case_no += 1

    def whole(self) -> Iterator[tuple[PlannedFile, Unit]]:
        """Every unit of the plan, from its beginning, with its file."""
        return (
            (file, self._unit(place, file, entry, is_kept=False)) for place, file, entry in self._places()
        )

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int]:
        """What the journal does not have yet, and how much."""
        if not resuming:
            return in_turn(unit for _, unit in self.whole()), self.total
        attempts = journal.attempts(results_only=True)
        attempt = next(attempts, None)
        is_kept: dict[Place, bool] = {}
        for place, _, _ in self._places():
            if attempt is None or attempt.place != place:
                is_kept[place] = False
                continue
            if (left := left_to_do(attempt)) is not None:
                is_kept[place] = left == "score"
            attempt = next(attempts, None)
        left_over = (self._unit(*at, is_kept=is_kept[at[0]]) for at in self._places() if at[0] in is_kept)
        return in_turn(left_over), len(is_kept)

    def _unit(self, place: Place, file: PlannedFile, entry: CaseEntry, *, is_kept: bool) -> Unit:
        return Unit(
            place=place,
            origin=CaseOrigin(file.eval_set.eval_set_id, file.shown_path, entry.eval_id),
            criteria=file.criteria,
            read=partial(file.eval_set.read, entry),
            lacking=partial(lacking, entry=entry),
            play=None if is_kept else partial(self._play, file, entry, place[1]),
        )

    async def _play(self, file: PlannedFile, entry: CaseEntry, repeat: int, case: EvalCase) -> Conversation:
        """Talk to the agent as the case wants it; a user is not simulated where nothing would be measured."""
        if entry.is_scenario and not decides_anything(file.criteria, entry):
            return Conversation(Trajectory(eval_id=case.eval_id), nothing_measured(), 0.0)
        return await converse(
            self.agent,
            case,
            repeat,
            self.request.timeout,
            eval_set_id=file.eval_set.given_id,
            simulator=file.simulator if entry.is_scenario else None,
        )

    async def aclose(self) -> str | None:
        """Release the agent."""
        return await closed(self.agent.component, self.agent.adapter)
