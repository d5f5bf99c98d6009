"""The engine: takes trajectories from an agent or from logs, scores them in parallel, and journals every result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from pydantic_core import from_json, to_json

from adjudge.extension.hooks import CaseFinished, CaseStarted, CriterionScored, RunStarted
from adjudge.extension.secrets import Secrets
from adjudge.journal.run_journal import Journal
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.model.result import CriterionResult, JudgeCalls
from adjudge.runner.journal_views import KnownCase, keep_info, known, record_of
from adjudge.runner.plan import Plan, Unit
from adjudge.runner.scoring import all_prepared, asked_with, inapplicable, score
from adjudge.runner.unit_result import UnitResult


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesAsked:
    """Event: a judge has answered, or its calls were given up. Sent to the ``watch`` of a run, not to observers."""

    run: str
    judges: Mapping[str, JudgeCalls]
    """Counts of calls by model, over all resumptions of the run."""
    left: tuple[int | None, float | None] = (None, None)
    """Calls and USD that may still be spent; ``None``: no limit."""


Event: TypeAlias = RunStarted | CaseStarted | CriterionScored | CaseFinished | JudgesAsked
Watch: TypeAlias = Callable[[Event], None]


class Engine:
    """Executes the units of a plan, and journals their results."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        *,
        run: str,
        watch: Watch | None,
    ) -> None:
        """Run ``plan`` into ``journal``.

        Args:
            plan: The plan.
            journal: The journal, with the results so far.
            run: The run's name.
            watch: Called with every event, for progress.
        """
        self._plan = plan
        self._journal = journal
        self._run = run
        self.began = False
        """Whether preparation is finished and cases run."""
        self._watch = watch
        self._secrets = Secrets()
        self._participants = len(record_of(journal).run.plugins)
        """The number of participants in the journal."""
        self._agent_slots = asyncio.Semaphore(plan.request.concurrency)
        self._open_slots = asyncio.Semaphore(plan.source.at_once)
        self._uncommitted: dict[UnitResult, None] = {}
        self._waiting: list[asyncio.Future[None]] = []
        """Resolved when the uncommitted results are in the journal."""
        self._to_release = 0
        """Slots of ended conversations that are freed by the next commit."""

    async def run(self, units: AsyncIterator[Unit], total: int | None) -> None:
        """Run the remaining units; ``total`` is their number, for progress.

        Raises:
            InputError: an eval set was changed or removed during the run.
            RunError: the journal cannot be written.
            asyncio.CancelledError: the run was interrupted; everything finished is in the journal.
        """
        if (watch := self._watch) is not None:
            judges = self._plan.judges
            judges.tell(lambda: watch(JudgesAsked(run=self._run, judges=judges.calls, left=judges.left)))
        names = dict.fromkeys(item.rule.criterion_name for item in self._plan.source.criteria)
        self._tell(RunStarted(run=self._run, cases=total, criteria=tuple(names)))
        await self._prepare()
        self.began = True
        try:
            async with asyncio.TaskGroup() as tasks:
                # Wait for a slot before reading the next unit: a run from a log is in memory once it is read.
                await self._open_slots.acquire()
                async for unit in units:
                    tasks.create_task(self._unit(unit))
                    await self._open_slots.acquire()
                self._open_slots.release()
        except ExceptionGroup as group:
            # Failures of agents and criteria do not raise here, so these affect the whole run; the first is the cause
            # of the others.
            raise group.exceptions[0] from group
        finally:
            self._commit()

    async def _prepare(self) -> None:
        """Let criteria prepare the data shared by all cases, and store it with the run."""
        if documents := await all_prepared(self._plan.source.criteria):
            keep_info(self._journal, prepared=from_json(self._secrets.masked_json(to_json(documents))))

    def _tell(self, event: RunStarted | CaseStarted | CriterionScored | CaseFinished) -> None:
        if self._watch is not None:
            self._watch(event)
        self._plan.observers.notify(event)

    async def _unit(self, unit: Unit) -> None:
        try:
            case = unit.read()
            result = await self._begun(unit, case)
            if result.conversation.failure is None:
                await self._score(result)
            else:
                await self._keep(result, [])
            self._tell(CaseFinished(run=self._run, result=result.decided))
            if unit.done is not None:
                unit.done(KnownCase(result.decided, case, result.conversation.trajectory))
        finally:
            self._open_slots.release()

    async def _begun(self, unit: Unit, case: EvalCase) -> UnitResult:
        """The trajectory of a unit: run now, read from a log, or read from the journal."""
        origin = self._plan.source.origin
        begun = partial(UnitResult.begun, unit, case, self._run, secrets=self._secrets, origin=origin)
        if unit.played is not None:
            self._tell_started(unit)
            result = begun(unit.played)
        elif unit.play is None:
            conversation, criteria = known(self._journal, unit.place)
            return UnitResult(unit, case, self._run, conversation, secrets=self._secrets, criteria=criteria)
        else:
            self._tell_started(unit)
            await self._agent_slots.acquire()
            try:
                result = begun(await unit.play(case))
            except BaseException:
                self._agent_slots.release()
                raise
            # The slot is freed after the commit, so that a killed run repeats at most ``concurrency`` conversations.
            self._to_release += 1
        self._to_commit(result)
        return result

    def _tell_started(self, unit: Unit) -> None:
        origin = unit.origin
        self._tell(
            CaseStarted(
                run=self._run, eval_set_id=origin.eval_set_id, eval_id=origin.eval_id, repeat=unit.repeat
            ),
        )

    async def _score(self, result: UnitResult) -> None:
        """Measure undecided criteria: first those without judges, so that they are committed with the trajectory."""
        unit = result.unit
        case = CaseUnderTest(case=result.case, actual=result.conversation.trajectory, repeat=unit.repeat)
        scored: list[CriterionResult] = []
        waiting: dict[object, list[int]] = {}
        for number, planned in enumerate(unit.criteria):
            if number in result.criteria:
                continue
            if lacking := unit.lacking(planned):
                scored.append(result.add(number, inapplicable(planned, lacking)))
            elif planned.waits:
                waiting.setdefault(asked_with(planned, number), []).append(number)
            else:
                scored += await self._measured(result, [number], case)
        if scored or not waiting:
            await self._keep(result, scored)
        elif not result.is_kept:
            await self._keep(result, [])  # a judge may be asked: commit its input first
        if waiting:
            await asyncio.gather(*(self._score_by(result, group, case) for group in waiting.values()))

    async def _score_by(self, result: UnitResult, numbers: list[int], case: CaseUnderTest) -> None:
        # Commit each group as soon as it is measured: a slow criterion must not delay the results of others.
        await self._keep(result, await self._measured(result, numbers, case))

    async def _measured(
        self, result: UnitResult, numbers: list[int], case: CaseUnderTest
    ) -> list[CriterionResult]:
        planned = [result.unit.criteria[number] for number in numbers]
        scored = await score(planned, case, within=self._plan.request.scoring_timeout)
        return [result.add(number, item) for number, item in zip(numbers, scored, strict=True)]

    async def _keep(self, result: UnitResult, scored: Sequence[CriterionResult]) -> None:
        """Commit the state of a unit, then notify observers: no reported result is lost."""
        self._to_commit(result)
        committed = asyncio.get_running_loop().create_future()
        self._waiting.append(committed)
        await committed
        origin = result.unit.origin
        for item in scored:
            self._tell(
                CriterionScored(
                    run=self._run,
                    eval_set_id=origin.eval_set_id,
                    eval_id=origin.eval_id,
                    repeat=result.unit.repeat,
                    result=item,
                ),
            )

    def _to_commit(self, result: UnitResult) -> None:
        """Schedule a commit. Units that change in the same iteration of the event loop share one transaction."""
        if not self._uncommitted:
            asyncio.get_running_loop().call_soon(self._commit)
        self._uncommitted[result] = None

    def _commit(self) -> None:
        results, self._uncommitted = list(self._uncommitted), {}
        waiting, self._waiting = self._waiting, []
        error: Exception | None = None
        try:
            if results:
                self._keep_participants()
                new = [result.attempt() for result in results if not result.is_kept]
                later = {result.unit.place: result.json() for result in results if result.is_kept}
                self._journal.write(new, later)
        except Exception as raised:  # any exception also ends the tasks that wait for the commit
            error = raised
        for result in results:
            result.is_kept = True
        for _ in range(self._to_release):
            self._agent_slots.release()
        self._to_release = 0
        for committed in waiting:
            if committed.done():  # its unit was cancelled
                continue
            if error is None:
                committed.set_result(None)
            else:
                committed.set_exception(error)

    def _keep_participants(self) -> None:
        """Journal new participants: no result is stored without the plugins that produced it."""
        participants = self._plan.host.participants
        if len(participants) > self._participants:
            self._participants = len(participants)
            keep_info(self._journal, plugins=participants.listed())
