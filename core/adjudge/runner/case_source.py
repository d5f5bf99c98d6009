"""The source of trajectories that runs an agent on the cases of eval sets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from adjudge.adk.eval_set_file import CaseEntry, EvalSetFile
from adjudge.extension.coroutine_guard import closed
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
"""Maximum number of cases that wait for scores. Judges wait for the network, so it exceeds the number of cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """An eval-set file, its selected cases, and the criteria that measure them."""

    eval_set: EvalSetFile
    shown_path: str
    """The path as results show it: as the user wrote it."""
    entries: Sequence[CaseEntry]
    config_source: str | None
    criteria: tuple[PlannedCriterion, ...]
    simulator: PlannedSimulator | None = None
    """The simulator of its scenarios; ``None`` if it has none."""

    @property
    def record(self) -> FileRecord:
        """Its description for the journal."""
        return FileRecord(
            eval_set_id=self.eval_set.eval_set_id,
            path=self.shown_path,
            config=self.config_source,
            cases=len(self.entries),
            rules=tuple(item.rule for item in self.criteria),
        )

    def document(self) -> JsonObject:
        """All settings of the file that determine its results, as JSON."""
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
    """The source of a run over cases: an agent, and the cases on which it runs."""

    request: RunRequest
    agent: PlannedAgent
    files: tuple[PlannedFile, ...]

    @property
    def criteria(self) -> Sequence[PlannedCriterion]:
        """The criteria of all files, in the order of the files."""
        return [item for file in self.files for item in file.criteria]

    @property
    def at_once(self) -> int:
        """Maximum number of cases in memory: those with an open session, and those that wait for scores."""
        return self.request.concurrency + _SCORING_LIMIT

    @property
    def origin(self) -> str:
        """The id of the agent's adapter."""
        return self.agent.component.id

    @property
    def total(self) -> int:
        """The number of cases times repeats."""
        return sum(len(file.entries) for file in self.files) * self.request.num_runs

    def document(self) -> JsonObject:
        """All settings that determine the results, as JSON."""
        return {
            "agent": self.agent.document(),
            "eval_sets": {file.shown_path: file.document() for file in self.files},
        }

    def records(self) -> tuple[JsonObject, Iterator[str]]:
        """The description of the files for the journal, as JSON; and the ids of the selected cases."""
        files = [file.record.model_dump(mode="json") for file in self.files]
        return {"files": files}, (entry.eval_id for file in self.files for entry in file.entries)

    def _places(self) -> Iterator[tuple[Place, PlannedFile, CaseEntry]]:
        """Every repeat of every case; the repeats of one case are adjacent."""
        case_no = 0
        for file in self.files:
            for entry in file.entries:
                for repeat in range(1, self.request.num_runs + 1):
                    yield (case_no, repeat), file, entry
                case_no += 1

    def whole(self) -> Iterator[tuple[PlannedFile, Unit]]:
        """All units of the plan with their files, as for a new run."""
        return (
            (file, self._unit(place, file, entry, is_kept=False)) for place, file, entry in self._places()
        )

    def units(self, journal: Journal, *, resuming: bool) -> tuple[AsyncIterator[Unit], int]:
        """The units that the journal does not have yet, and their number."""
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
        """Run the conversation of a case. A scenario that no criterion can decide is not simulated."""
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
