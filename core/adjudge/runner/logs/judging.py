"""Judging: the runs of all logs, some at a time, each by every criterion; results in the order of the plan."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.errors import AdjudgeError, InputError, PluginError, RunError
from adjudge.extension.guard import described
from adjudge.extension.protocols import ReadOptions
from adjudge.extension.threads import computed
from adjudge.granularity.services import CriterionEvaluator, Services, distinct
from adjudge.granularity.viewing import task_of
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.evaluation import EvaluationResult, Inapplicable, WordedCriterion
from adjudge.model.judged_logs import JudgedLog, LogError
from adjudge.model.measurement import Failure
from adjudge.model.trajectory import Trajectory
from adjudge.runner.logs.found import Found, plugin_failure
from adjudge.runner.logs.measured import PlannedMeasure, measured
from adjudge.runner.logs.planning import LogsPlan, PlannedLog
from adjudge.runner.logs.progress import Progress

_AT_A_TIME: Final = 8
"""Runs that are in memory. Every criterion has calls of its own under way, so this keeps a judge busy."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """What is known of one run, or of a log that has none."""

    log: JudgedLog | None
    errors: tuple[LogError, ...] = ()


def _next(runs: Iterator[Trajectory]) -> Trajectory | None:
    return next(runs, None)


class LogsJudging:
    """Judges the logs of a plan."""

    def __init__(
        self,
        plan: LogsPlan,
        services: Services,
        evaluators: Sequence[tuple[WordedCriterion, CriterionEvaluator]],
        progress: Progress,
    ) -> None:
        """Judge by ``evaluators`` and by what the plan measures. ``progress`` is told of it all."""
        self._plan = plan
        self._services = services
        self._evaluators = evaluators
        self._progress = progress
        self._slots = asyncio.Semaphore(_AT_A_TIME)

    async def judged(self) -> list[JudgedRun]:
        """Every run of every log, in order.

        Raises:
            RunError: no further call to a judge makes sense.
        """
        judged: list[asyncio.Task[JudgedRun] | JudgedRun] = []
        try:
            async with asyncio.TaskGroup() as group:
                for log in self._plan.logs:
                    await self._begin(log, judged, group)
                    self._progress.log_read()
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [item if isinstance(item, JudgedRun) else item.result() for item in judged]

    async def _begin(
        self, log: PlannedLog, judged: list[asyncio.Task[JudgedRun] | JudgedRun], group: asyncio.TaskGroup
    ) -> None:
        """Read a log run by run, and begin to judge each as soon as there is room for it."""
        if isinstance(log.reader, AdjudgeError):
            judged.append(self._unread(log, None, log.reader))
            return
        runs: Iterator[Trajectory] | None = None
        number = 0
        while True:
            await self._slots.acquire()
            try:
                if runs is None:
                    options = ReadOptions(task=self._plan.request.task)
                    runs = self._plan.traces.read(log.path, log.reader, options)
                trajectory = await computed(_next, runs, in_thread=True)
            except Exception as error:
                self._slots.release()
                judged.append(self._unread(log, number + 1 if number else None, error))
                return
            if trajectory is None:
                self._slots.release()
                if not number:
                    judged.append(self._unread(log, None, InputError([]), "there is no run in this log"))
                return
            number += 1
            self._progress.run_read()
            if (nothing := trajectory.nothing_of_the_agent) is not None:
                self._slots.release()
                self._progress.run_done()
                judged.append(self._unread(log, number, InputError([]), nothing, code="no_steps"))
                continue
            judged.append(group.create_task(self._judge(log, log.reader.id, number, trajectory)))

    async def _judge(self, log: PlannedLog, reader: str, number: int, trajectory: Trajectory) -> JudgedRun:
        try:
            task = self._plan.request.task
            if task is not None and trajectory.task is None:
                trajectory = trajectory.model_copy(update={"task": task})
            return await self._judged(str(log.path), reader, number, trajectory)
        except RunError:
            raise
        except Exception as error:  # of one run: the verdicts on the others stay
            self._progress.found("error")
            failure = Failure(code="judging_raised", message=described(error), origin=reader)
            return JudgedRun(None, (LogError(source=str(log.path), run=number, error=failure),))
        finally:
            self._slots.release()
            self._progress.run_done()

    async def _judged(self, source: str, reader: str, number: int, trajectory: Trajectory) -> JudgedRun:
        decomposition = await self._services.decomposer.decompose(trajectory)
        found = Found(source, number)
        if self._plan.request.aggregate_only:
            await self._aggregate(trajectory, found)
        judged, counted = await asyncio.gather(
            asyncio.gather(*(self._evaluated(evaluator, trajectory) for _, evaluator in self._evaluators)),
            asyncio.gather(*(self._measured(measure, trajectory) for measure in self._plan.measured)),
        )
        for (criterion, _), (item, views) in zip(self._evaluators, judged, strict=True):
            found.add(criterion.name, item, views)
        for measure, measurement in zip(self._plan.measured, counted, strict=True):
            found.add(measure.criterion.name, measurement)
        found.close()
        log = JudgedLog(
            source=source,
            run=number,
            reader=reader,
            task=task_of(trajectory) or None,
            agent=trajectory.agent,
            steps=len(trajectory.steps),
            lost=trajectory.lost,
            task_decomposition=decomposition,
            aggregated_steps=distinct(found.views),
            results=tuple(found.results),
            not_applicable=tuple(found.not_applicable),
        )
        return JudgedRun(log, tuple(found.errors))

    async def _aggregate(self, trajectory: Trajectory, found: Found) -> None:
        try:
            found.views += await self._services.views(trajectory, self._plan.criteria)
        except RunError:
            raise
        except AdjudgeError as error:
            self._progress.found("error")
            found.failed(plugin_failure(error))

    async def _evaluated(
        self, evaluator: CriterionEvaluator, trajectory: Trajectory
    ) -> tuple[EvaluationResult | Failure, tuple[AggregatedSteps, ...]]:
        try:
            result, views = await evaluator.evaluate_with_views(trajectory)
        except RunError:
            raise
        except AdjudgeError as error:
            self._progress.found("error")
            return plugin_failure(error), ()
        self._progress.found(_status(result))
        return result, views

    async def _measured(
        self, measure: PlannedMeasure, trajectory: Trajectory
    ) -> EvaluationResult | Inapplicable | Failure:
        measurement = await measured(measure, trajectory)
        if not isinstance(measurement, Inapplicable):
            self._progress.found(_status(measurement))
        return measurement

    def _unread(
        self,
        log: PlannedLog,
        run: int | None,
        error: Exception,
        message: str | None = None,
        code: str = "log_unreadable",
    ) -> JudgedRun:
        self._progress.found("error")
        if isinstance(error, PluginError):
            code, said = "reader_raised", str(error)
        elif isinstance(error, AdjudgeError):
            said = message or str(error)
        else:
            code, said = "reader_raised", f"{type(error).__name__}: {error}"
        origin = None if isinstance(log.reader, AdjudgeError) else log.reader.id
        failure = Failure(code=code, message=said, origin=origin)
        return JudgedRun(None, (LogError(source=str(log.path), run=run, error=failure),))


def _status(item: EvaluationResult | Failure) -> str:
    """What progress calls it."""
    return str(item.verdict) if isinstance(item, EvaluationResult) and item.verdict else "error"
