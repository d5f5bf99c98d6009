"""Connects the services of seed 003, and creates an evaluator for each criterion."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from adjudge.kit.calibration import Calibration
from adjudge.kit.evaluation import CompiledCriterion
from adjudge.model import AggregatedSteps, EvaluationResult, Trajectory, WordedCriterion
from adjudge.plugin import Host, Judge
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.analyzer import GranularityAnalyzerService
from adjudge_plugins.ai_judge.budget import DEFAULT_BUDGET, room_of, view_of
from adjudge_plugins.ai_judge.calibration import calibrated
from adjudge_plugins.ai_judge.check_compiler import compiled
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService
from adjudge_plugins.ai_judge.evaluator import JudgedRun, JudgeEvaluatorService


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options for aggregating and judging runs."""

    granularity: str | None = None
    """The strategy for all criteria; ``None``: each criterion's own, or the best match."""
    token_budget: int = DEFAULT_BUDGET
    """The tokens of one request to a judge."""
    strict_evidence: bool = False
    """Whether an outcome is never met in a run that records no results."""
    correct_phases: bool = False
    """Whether the judge may move the boundaries of sub-tasks, and join sub-tasks."""


class Services:
    """The services that prepare a run for judging; without a judge they work by code alone."""

    def __init__(self, host: Host, judge: Judge | None, options: Options | None = None) -> None:
        """Create the services.

        Args:
            host: Supplies the granularity strategies.
            judge: Writes names and summaries, and decides between strategies that the rules rank equally.
            options: The settings.
        """
        self.options = options or Options()
        self.judge = judge
        self.decomposer = TaskDecomposerService(
            judge,
            corrections=self.options.correct_phases,
            token_budget=room_of(self.options.token_budget) // 3,
        )
        self.analyzer = GranularityAnalyzerService(host, judge)
        self.aggregator = StepAggregatorService(host)
        self._names = [item.id for item in host.granularity_strategies()]

    def announce(self, criteria: Iterable[WordedCriterion]) -> None:
        """Register the criteria, so that one question for granularities covers all of them.

        Raises:
            UnknownNameError: no strategy has the name of a granularity, or two have it; or none is installed.
            PluginError: the strategy belongs to a plugin that is not active.
        """
        for criterion in criteria:
            self.analyzer.ruled(criterion, option=self.options.granularity)

    async def views(
        self, trajectory: Trajectory, criteria: Sequence[WordedCriterion]
    ) -> tuple[AggregatedSteps, ...]:
        """The views by which each criterion would be judged, without duplicates; without criteria, one per granularity.

        Raises:
            PluginError: a strategy raised, or its result violates its contract.
        """
        granularity = self.options.granularity
        if criteria:
            self.announce(criteria)
            wanted = [
                ((await self.analyzer.choose(item, option=granularity)).name, item) for item in criteria
            ]
        else:
            any_criterion = WordedCriterion(name="", description="")
            names = self._names if granularity is None else [granularity]
            wanted = [(name, any_criterion) for name in names]
        views = [
            await view_of(
                trajectory,
                level,
                self.decomposer,
                self.aggregator,
                criterion_name=criterion.name,
                criterion_description=criterion.description,
                writer=self.judge,
                budget=self.options.token_budget,
            )
            for level, criterion in wanted
        ]
        return distinct(views)


class CriterionEvaluator:
    """Judges runs by one criterion."""

    def __init__(
        self,
        services: Services,
        judge: Judge,
        criterion: WordedCriterion,
        *,
        calibrations: Sequence[Calibration] = (),
    ) -> None:
        """Create the evaluator without calling the judge.

        Args:
            services: The services that prepare runs.
            judge: The judge.
            criterion: The author's criterion.
            calibrations: Calibrations of the judge; those of other checks are ignored.
        """
        self._criterion = criterion
        self._calibrations = tuple(calibrations)
        self._writer = judge.lasting()
        self._judging = JudgeEvaluatorService(
            services.decomposer,
            services.analyzer,
            services.aggregator,
            judge,
            granularity=services.options.granularity,
            budget=services.options.token_budget,
            strict_evidence=services.options.strict_evidence,
        )
        self._compiled: CompiledCriterion | None = None
        self._compiling = asyncio.Lock()

    async def compiled(self) -> CompiledCriterion:
        """Compile the criterion to fixed checks, once for all runs."""
        async with self._compiling:
            if self._compiled is None:
                locked = await compiled(self._criterion, self._writer)
                self._judging.announce(locked)
                self._compiled = locked
        return self._compiled

    async def evaluate(self, trajectory: Trajectory) -> EvaluationResult:
        """Evaluate the run."""
        [judged] = await evaluated_together([self], trajectory)
        return judged.result

    @property
    def judging(self) -> JudgeEvaluatorService:
        """The evaluator service, shared by criteria with the same settings."""
        return self._judging

    def calibrated(self, judged: JudgedRun, sha256: str) -> JudgedRun:
        """Calibrate the confidence of an evaluation by labels."""
        same = [item for item in self._calibrations if item.criterion_sha256 == sha256]
        return replace(judged, result=calibrated(judged.result, same), views=distinct(judged.views))


async def evaluated_together(
    evaluators: Sequence[CriterionEvaluator], trajectory: Trajectory
) -> list[JudgedRun]:
    """Evaluate a run by several criteria with the same settings and one judge, in their order."""
    criteria = await asyncio.gather(*(each.compiled() for each in evaluators))
    judged = await evaluators[0].judging.evaluate_together(trajectory, criteria)
    return [
        each.calibrated(found, criterion.sha256)
        for each, found, criterion in zip(evaluators, judged, criteria, strict=True)
    ]


def distinct(views: Sequence[AggregatedSteps]) -> tuple[AggregatedSteps, ...]:
    """Remove duplicate views, keeping the order."""
    found: list[AggregatedSteps] = []
    for view in views:
        if view not in found:
            found.append(view)
    return tuple(found)
