"""The engine: takes trajectories from an agent or from logs, scores them side by side, and journals every result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from adjudge.extension.hooks import CaseFinished, CaseStarted, CriterionScored, RunStarted
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import SupportsPreparation
from adjudge.extension.secrets import Secrets
from adjudge.journal.run_journal import Journal
from adjudge.model.base import JsonObject
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.model.result import CriterionResult, JudgeCalls
from adjudge.runner.journal_views import KnownCase, keep_info, known, record_of
from adjudge.runner.plan import Plan, Unit
from adjudge.runner.scoring import asked_with, inapplicable, prepared, score
from adjudge.runner.unit_result import UnitResult


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesAsked:
    """A judge has answered, or was given up. Told to whoever watches the run, and to no observer."""

    run: str
    judges: Mapping[str, JudgeCalls]
    """By model, over all resumptions of the run."""
    left: tuple[int | None, float | None] = (None, None)
    """Calls and USD that may still be spent; ``None``: no limit."""


Event: TypeAlias = RunStarted | CaseStarted | CriterionScored | CaseFinished | JudgesAsked
Watch: TypeAlias = Callable[[Event], None]


class Engine:
    """Runs the units of a plan that a journal does not have yet."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        extensions: Extensions,
        *,
        run: str,
        watch: Watch | None,
    ) -> None:
        """Run ``plan`` into ``journal``.

        Args:
            plan: What to do.
            journal: Where results go, and what is finished already.
            extensions: Whose observers are told.
            run: The run's name.
            watch: Told every event, for progress.
        """
        self._plan = plan
        self._journal = journal
        self._extensions = extensions
        self._run = run
        self.began = False
        """Whether criteria have locked what they have in common, so that cases are run."""
        self._watch = watch
        self._secrets = Secrets()
        self._participants = len(record_of(journal).run.plugins)
        """How many the journal has."""
        self._agent_slots = asyncio.Semaphore(plan.request.concurrency)
        self._open_slots = asyncio.Semaphore(plan.source.at_once)
        self._uncommitted: dict[UnitResult, None] = {}
        self._waiting: list[asyncio.Future[None]] = []
        """For what is not committed yet."""
        self._to_release = 0
        """Places of conversations that have ended, until they are committed."""

    async def run(self, units: AsyncIterator[Unit], total: int | None) -> None:
        """Do what is left; ``total`` is how many units that are, for progress.

        Raises:
            InputError: an eval set was changed or removed under the run.
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
                # Room first: what is read from a log is in memory.
                await self._open_slots.acquire()
                async for unit in units:
                    tasks.create_task(self._unit(unit))
                    await self._open_slots.acquire()
                self._open_slots.release()
        except ExceptionGroup as group:
            # Agents and criteria raise nothing from here: what is left concerns the whole run, and the
            # first failure is the cause of the rest.
            raise group.exceptions[0] from group
        finally:
            self._commit()

    async def _prepare(self) -> None:
        """Have criteria lock what all cases have in common, and keep it with the run."""
        # Files with one configuration share its criteria: each is prepared once.
        planned = {id(item): item for item in self._plan.source.criteria}.values()
        preparing = [
            (item, item.criterion) for item in planned if isinstance(item.criterion, SupportsPreparation)
        ]
        if not preparing:
            return
        locked = await asyncio.gather(*(prepared(item, criterion) for item, criterion in preparing))
        documents: dict[str, JsonObject] = {}
        for (item, _), document in zip(preparing, locked, strict=True):
            name = item.rule.criterion_name
            # Two configurations may give one name to different criteria.
            if documents.get(name, document) != document:
                name = f"{name} ({item.source})"
            if document:
                documents[name] = document
        keep_info(self._journal, prepared=documents)

    def _tell(self, event: RunStarted | CaseStarted | CriterionScored | CaseFinished) -> None:
        if self._watch is not None:
            self._watch(event)
        self._extensions.notify(event)

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
        """What the agent does, or did, on its way into the journal; or what the journal has of it."""
        if unit.played is not None:
            self._tell_started(unit)
            result = UnitResult.begun(
                unit, case, self._run, unit.played, self._secrets, self._plan.source.origin
            )
        elif unit.play is None:
            conversation, criteria = known(self._journal, unit.place)
            return UnitResult.resumed(unit, case, self._run, conversation, self._secrets, criteria)
        else:
            self._tell_started(unit)
            await self._agent_slots.acquire()
            try:
                conversation = await unit.play(case)
                result = UnitResult.begun(
                    unit, case, self._run, conversation, self._secrets, self._plan.source.origin
                )
            except BaseException:
                self._agent_slots.release()
                raise
            # No other conversation takes its place before it is committed: a run that is killed repeats no more of them.
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
        """Measure what is not decided yet: first what needs nobody, so that it is committed with the trajectory."""
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
            await self._keep(result, [])  # a judge may be asked: what it judges is not to be lost
        if waiting:
            await asyncio.gather(*(self._score_by(result, group, case) for group in waiting.values()))

    async def _score_by(self, result: UnitResult, numbers: list[int], case: CaseUnderTest) -> None:
        # At once, not with the others: a slow criterion must not hold back what is decided already.
        await self._keep(result, await self._measured(result, numbers, case))

    async def _measured(
        self, result: UnitResult, numbers: list[int], case: CaseUnderTest
    ) -> list[CriterionResult]:
        planned = [result.unit.criteria[number] for number in numbers]
        scored = await score(planned, case, within=self._plan.request.scoring_timeout)
        return [result.add(number, item) for number, item in zip(numbers, scored, strict=True)]

    async def _keep(self, result: UnitResult, scored: Sequence[CriterionResult]) -> None:
        """Commit what is known of a unit, and tell what is new: nothing that was told is lost."""
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
        """Let one transaction commit what all units come to in this turn of the loop."""
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
        except Exception as raised:  # whatever it is, those who wait for the commit end with it
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
        """Journal what took part, where that has become more: no result is kept without what made it."""
        participants = self._plan.host.participants
        if len(participants) > self._participants:
            self._participants = len(participants)
            keep_info(self._journal, plugins=participants.listed())
