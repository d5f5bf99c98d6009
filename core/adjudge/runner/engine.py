"""The engine: takes trajectories from an agent or from logs, scores them side by side, and journals every result at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TypeAlias

from pydantic_core import from_json, to_json

from adjudge.extension.hooks import CaseFinished, CaseStarted, CriterionScored, RunStarted
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import SupportsPreparation, SupportsTogether
from adjudge.journal.run_journal import Journal
from adjudge.model.base import told
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CriterionResult
from adjudge.model.trajectory import Trajectory
from adjudge.runner.journal_views import Conversation, Facts, KnownCase, decided, facts_of, run_info
from adjudge.runner.plan import Plan, PlannedCriterion, Unit, Work
from adjudge.runner.scoring import prepared, score, score_together
from adjudge.verdict.algebra import criterion_result

Event: TypeAlias = RunStarted | CaseStarted | CriterionScored | CaseFinished
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
        self._participants = len(run_info(journal).plugins)
        """How many the journal has."""
        self._agent_slots = asyncio.Semaphore(plan.request.concurrency)
        self._open_slots = asyncio.Semaphore(plan.source.at_once)

    async def run(self, work: AsyncIterator[Work], total: int | None) -> None:
        """Do the work; ``total`` is how many units there are, for progress.

        Raises:
            InputError: an eval set was changed or removed under the run.
            RunError: the journal cannot be written.
            asyncio.CancelledError: the run was interrupted; everything finished is in the journal.
        """
        names = dict.fromkeys(item.rule.criterion_name for item in self._plan.source.criteria)
        self._tell(RunStarted(run=self._run, cases=total, criteria=tuple(names)))
        await self._prepare()
        self.began = True
        try:
            async with asyncio.TaskGroup() as tasks:
                # Room first: what is read from a log is in memory.
                await self._open_slots.acquire()
                async for item in work:
                    tasks.create_task(self._unit(item))
                    await self._open_slots.acquire()
                self._open_slots.release()
        except ExceptionGroup as group:
            # Agents and criteria raise nothing from here: what is left concerns the whole run, and the
            # first failure is the cause of the rest.
            raise group.exceptions[0] from group

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
        documents = {
            item.rule.criterion_name: document
            for (item, _), document in zip(preparing, locked, strict=True)
            if document
        }
        info = run_info(self._journal).model_copy(update={"prepared": documents})
        self._journal.set_meta({"run": info.model_dump(mode="json")})

    def _tell(self, event: Event) -> None:
        if self._watch is not None:
            self._watch(event)
        self._extensions.notify(event)

    async def _unit(self, work: Work) -> None:
        try:
            unit = work.unit
            case = unit.read()
            if not work.is_kept:
                self._tell_started(unit)
            conversation = work.played
            if conversation is None:
                if work.play is None:
                    raise AssertionError("what is not known is played")
                async with self._agent_slots:
                    conversation = await work.play(case)
            facts = facts_of(conversation.trajectory)
            if not work.is_kept:
                conversation, facts = self._keep(unit, case, conversation, facts)
            criteria: Mapping[int, CriterionResult] = {}
            if conversation.failure is None:
                under_test = CaseUnderTest(case=case, actual=conversation.trajectory, repeat=unit.repeat)
                criteria = {**work.scored, **await self._score(work, under_test)}
            result = decided(
                unit.origin,
                [item.rule for item in unit.criteria],
                unit.repeat,
                failure=conversation.failure,
                criteria=[criteria[number] for number in sorted(criteria)],
                duration=conversation.duration,
                facts=facts,
            )
            self._tell(CaseFinished(run=self._run, result=result))
            if work.done is not None:
                work.done(KnownCase(result=result, case=case, actual=conversation.trajectory))
        finally:
            self._open_slots.release()

    def _keep_participants(self) -> None:
        """Journal what took part, where that has become more: no result is kept without what made it."""
        participants = self._plan.host.participants
        if len(participants) > self._participants:
            self._participants = len(participants)
            info = run_info(self._journal).model_copy(update={"plugins": participants.listed()})
            self._journal.set_meta({"run": info.model_dump(mode="json")})

    def _tell_started(self, unit: Unit) -> None:
        origin = unit.origin
        self._tell(
            CaseStarted(
                run=self._run, eval_set_id=origin.eval_set_id, eval_id=origin.eval_id, repeat=unit.repeat
            ),
        )

    def _keep(
        self, unit: Unit, case: EvalCase, conversation: Conversation, facts: Facts
    ) -> tuple[Conversation, Facts]:
        """Commit what the agent did; where it cannot be kept, the case is an error."""
        try:
            stored = conversation.trajectory.model_dump_json(exclude_defaults=True).encode()
            # A journal must be readable whatever an agent answers. That it is a trajectory was checked where it came
            # in; how deep it is as a whole, and how long its numbers are, shows here.
            from_json(stored)
        except ValueError as error:
            unusable = Failure(
                code="bad_answer",
                message=f"the agent's answer holds something that cannot be kept as JSON: {told(error)}",
                origin=self._plan.source.origin,
            )
            conversation = Conversation(Trajectory(eval_id=case.eval_id), unusable, conversation.duration)
            facts = facts_of(conversation.trajectory)
            stored = conversation.trajectory.model_dump_json(exclude_defaults=True).encode()
        failure = conversation.failure
        self._keep_participants()
        self._journal.add_attempt(
            unit.case_no,
            unit.repeat,
            eval_id=case.eval_id,
            case=case.model_dump_json(exclude_defaults=True).encode(),
            trajectory=stored,
            facts=facts.model_dump_json(exclude_defaults=True).encode(),
            failure=None if failure is None else failure.model_dump_json().encode(),
            duration=conversation.duration,
            log=None if unit.log_no is None else (unit.log_no, unit.origin.run),
        )
        return conversation, facts

    async def _score(self, work: Work, case: CaseUnderTest) -> dict[int, CriterionResult]:
        unit = work.unit
        groups: dict[object, list[int]] = {}
        for number, planned in enumerate(unit.criteria):
            if number not in work.scored:
                is_together = isinstance(planned.criterion, SupportsTogether) and not unit.lacking(planned)
                groups.setdefault(planned.component.id if is_together else number, []).append(number)
        scored = await asyncio.gather(*(self._score_group(unit, group, case) for group in groups.values()))
        return {number: result for results in scored for number, result in results.items()}

    async def _score_group(
        self, unit: Unit, numbers: list[int], case: CaseUnderTest
    ) -> dict[int, CriterionResult]:
        """Measure by one criterion, or by several instances of a component that measures together."""
        planned = [unit.criteria[number] for number in numbers]
        within = self._plan.request.scoring_timeout
        if len(planned) > 1:
            measured = await score_together(planned, case, within=within)
        else:
            measured = [await score(planned[0], case, lacking=unit.lacking(planned[0]), within=within)]
        kept = [self._keep_score(unit, *item) for item in zip(numbers, planned, measured, strict=True)]
        return dict(zip(numbers, kept, strict=True))

    def _keep_score(
        self, unit: Unit, number: int, planned: PlannedCriterion, measured: CriterionResult
    ) -> CriterionResult:
        result, stored = _stored(planned, measured)
        self._keep_participants()
        # At once, not with the others: a slow criterion must not hold back what is decided already.
        self._journal.add_score(unit.case_no, unit.repeat, number, stored)
        origin = unit.origin
        self._tell(
            CriterionScored(
                run=self._run,
                eval_set_id=origin.eval_set_id,
                eval_id=origin.eval_id,
                repeat=unit.repeat,
                result=result,
            ),
        )
        return result


def _stored(planned: PlannedCriterion, result: CriterionResult) -> tuple[CriterionResult, bytes]:
    """The result and its JSON; an error where the criterion gave what cannot be written and read again."""
    try:
        stored = to_json(result.model_dump(exclude_defaults=True, warnings=False))
        if planned.component.is_built_in:
            from_json(stored)
        else:
            CriterionResult.model_validate_json(stored)
        return result, stored
    except ValueError as error:
        origin = planned.component.provenance
        message = f"the criterion gave something that cannot be kept as JSON: {told(error)} ({origin})"
        failed = criterion_result(
            Measurement(overall=Outcome.failed("criterion_raised", message, origin=origin)), planned.rule
        )
        return failed, failed.model_dump_json(exclude_defaults=True).encode()
