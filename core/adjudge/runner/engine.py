"""The engine: plays conversations and scores them, side by side, and journals every result at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from pydantic_core import from_json, to_json

from adjudge.extension.events import CaseFinished, CaseStarted, CriterionScored, RunStarted
from adjudge.extension.loader import Extensions
from adjudge.journal.run_journal import Journal
from adjudge.model.base import told
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.model.measurement import Failure, Measurement, Outcome
from adjudge.model.result import CriterionResult
from adjudge.model.step import total_usage
from adjudge.model.trajectory import Trajectory
from adjudge.runner.conversation import converse
from adjudge.runner.criteria import lacking
from adjudge.runner.journal_views import Conversation, decided, not_simulated, run_info
from adjudge.runner.plan import Plan, PlannedCriterion, Unit
from adjudge.runner.scoring import score
from adjudge.verdict.algebra import criterion_result

SCORING_LIMIT: Final = 64
"""Cases that are scored at a time. Judges wait for the network, so this is far more than cores."""

Event: TypeAlias = RunStarted | CaseStarted | CriterionScored | CaseFinished
Watch: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Work:
    """What is still to do for one unit."""

    unit: Unit
    played: Conversation | None
    """What the agent did, where an interrupted run had committed it already."""
    scored: Mapping[int, CriterionResult]
    """Criterion number to result, where an interrupted run had committed it already."""


class Engine:
    """Runs the units of a plan that a journal does not have yet."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        extensions: Extensions,
        *,
        run: str,
        concurrency: int,
        watch: Watch | None,
    ) -> None:
        """Run ``plan`` into ``journal``.

        Args:
            plan: What to do.
            journal: Where results go, and what is finished already.
            extensions: Whose observers are told.
            run: The run's name.
            concurrency: Sessions with the agent that may be open at a time.
            watch: Told every event, for progress.
        """
        self._plan = plan
        self._journal = journal
        self._extensions = extensions
        self._run = run
        self._watch = watch
        self._participants = len(run_info(journal).plugins)
        """How many the journal has."""
        self._agent_slots = asyncio.Semaphore(concurrency)
        # Cases that wait for their scores hold their trajectory in memory: they are bounded too.
        self._open_slots = asyncio.Semaphore(concurrency + SCORING_LIMIT)

    async def run(self, work: Iterator[Work], total: int) -> None:
        """Do the work; ``total`` is how many units there are, for progress.

        Raises:
            InputError: an eval set was changed or removed under the run.
            RunError: the journal cannot be written.
            asyncio.CancelledError: the run was interrupted; everything finished is in the journal.
        """
        names = dict.fromkeys(item.rule.criterion_name for file in self._plan.files for item in file.criteria)
        self._tell("run_started", RunStarted(run=self._run, cases=total, criteria=tuple(names)))
        try:
            async with asyncio.TaskGroup() as tasks:
                for item in work:
                    await self._open_slots.acquire()
                    tasks.create_task(self._unit(item))
        except ExceptionGroup as group:
            # Agents and criteria raise nothing from here: what is left concerns the whole run, and the
            # first failure is the cause of the rest.
            raise group.exceptions[0] from group

    def _tell(self, hook: str, event: Event) -> None:
        if self._watch is not None:
            self._watch(event)
        self._extensions.notify(hook, event)

    async def _unit(self, work: Work) -> None:
        try:
            unit = work.unit
            case = unit.file.eval_set.read(unit.entry)
            conversation = work.played
            if conversation is None:
                async with self._agent_slots:
                    conversation = await self._converse(unit, case)
            criteria: Mapping[int, CriterionResult] = {}
            if conversation.failure is None:
                under_test = CaseUnderTest(case=case, actual=conversation.trajectory, repeat=unit.repeat)
                criteria = {**work.scored, **await self._score(work, under_test)}
            result = decided(
                unit.file.record,
                case.eval_id,
                unit.repeat,
                failure=conversation.failure,
                criteria=[criteria[number] for number in sorted(criteria)],
                duration=conversation.duration,
                usage=total_usage(step.usage for step in conversation.trajectory.steps),
            )
            self._tell("case_finished", CaseFinished(run=self._run, result=result))
        finally:
            self._open_slots.release()

    def _keep_participants(self) -> None:
        """Journal what took part, where that has become more: no result is kept without what made it."""
        participants = self._plan.host.participants
        if len(participants) > self._participants:
            self._participants = len(participants)
            info = run_info(self._journal).model_copy(update={"plugins": participants.listed()})
            self._journal.set_meta({"run": info.model_dump(mode="json")})

    async def _converse(self, unit: Unit, case: EvalCase) -> Conversation:
        self._tell(
            "case_started",
            CaseStarted(
                run=self._run,
                eval_set_id=unit.file.eval_set.eval_set_id,
                eval_id=unit.entry.eval_id,
                repeat=unit.repeat,
            ),
        )
        if unit.entry.is_scenario:
            conversation = not_simulated(case.eval_id)
        else:
            conversation = await converse(
                self._plan.agent,
                case,
                unit.repeat,
                self._plan.request.timeout,
                eval_set_id=unit.file.eval_set.given_id,
            )
        try:
            stored = conversation.trajectory.model_dump_json(exclude_defaults=True).encode()
            # A journal must be readable whatever an agent answers. That it is a trajectory was checked where it came
            # in; how deep it is as a whole, and how long its numbers are, shows here.
            from_json(stored)
        except ValueError as error:
            unusable = Failure(
                code="bad_answer",
                message=f"the agent's answer holds something that cannot be kept as JSON: {told(error)}",
                origin=self._plan.agent.component.id,
            )
            conversation = Conversation(Trajectory(eval_id=case.eval_id), unusable, conversation.duration)
            stored = conversation.trajectory.model_dump_json(exclude_defaults=True).encode()
        failure, usage = (
            conversation.failure,
            total_usage(step.usage for step in conversation.trajectory.steps),
        )
        self._keep_participants()
        self._journal.add_attempt(
            unit.case_no,
            unit.repeat,
            eval_id=case.eval_id,
            case=case.model_dump_json(exclude_defaults=True).encode(),
            trajectory=stored,
            usage=None if usage is None else usage.model_dump_json(exclude_none=True).encode(),
            failure=None if failure is None else failure.model_dump_json().encode(),
            duration=conversation.duration,
        )
        return conversation

    async def _score(self, work: Work, case: CaseUnderTest) -> dict[int, CriterionResult]:
        missing = [number for number in range(len(work.unit.file.criteria)) if number not in work.scored]
        results = await asyncio.gather(*(self._score_one(work.unit, number, case) for number in missing))
        return dict(zip(missing, results, strict=True))

    async def _score_one(self, unit: Unit, number: int, case: CaseUnderTest) -> CriterionResult:
        planned = unit.file.criteria[number]
        measured = await score(
            planned,
            case,
            lacking=lacking(planned, unit.entry),
            within=self._plan.request.scoring_timeout,
        )
        result, stored = _stored(planned, measured)
        self._keep_participants()
        # At once, not with the others: a slow criterion must not hold back what is decided already.
        self._journal.add_score(unit.case_no, unit.repeat, number, stored)
        self._tell(
            "criterion_scored",
            CriterionScored(
                run=self._run,
                eval_set_id=unit.file.eval_set.eval_set_id,
                eval_id=unit.entry.eval_id,
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
