"""The services of seed 003 put together, and an evaluator for each criterion."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
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
    """How runs are looked at."""

    granularity: str | None = None
    """The strategy of all criteria; ``None``: each criterion's own, or the one that fits it."""
    token_budget: int = DEFAULT_BUDGET
    """Tokens that one request to a judge may have."""
    strict_evidence: bool = False
    """Whether a run that shows nothing of what came back supports no outcome."""
    correct_phases: bool = False
    """Whether the judge may move where sub-tasks begin, and join them."""


class Services:
    """The services that come before judging; without a judge they go by code alone."""

    def __init__(self, host: Host, judge: Judge | None, options: Options | None = None) -> None:
        """Put them together.

        Args:
            host: Has the strategies that are chosen from.
            judge: Who writes names and summaries, and decides between strategies that fit alike.
            options: How to look.
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

    async def views(
        self, trajectory: Trajectory, criteria: Sequence[WordedCriterion]
    ) -> tuple[AggregatedSteps, ...]:
        """The run as each criterion would be judged by, each view once; without criteria, at every granularity.

        Raises:
            PluginError: a strategy raised, or returned what its contract forbids.
        """
        granularity = self.options.granularity
        if criteria:
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
        """Prepare; nothing is asked yet.

        Args:
            services: What comes before judging.
            judge: Decides.
            criterion: In its author's words.
            calibrations: What labels have shown the judge to be worth; those of other checks say nothing here.
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
        """The criterion with its locked checks, and its granularity chosen, once for all runs."""
        async with self._compiling:
            if self._compiled is None:
                locked = await compiled(self._criterion, self._writer)
                await self._judging.choose(locked)
                self._compiled = locked
        return self._compiled

    async def evaluate(self, trajectory: Trajectory) -> EvaluationResult:
        """What the run is worth."""
        [judged] = await evaluated_together([self], trajectory)
        return judged.result

    @property
    def judging(self) -> JudgeEvaluatorService:
        """Who decides; the same for criteria that look at runs alike."""
        return self._judging

    def calibrated(self, judged: JudgedRun, sha256: str) -> JudgedRun:
        """The same, with a confidence that labels have shown to be right."""
        same = [item for item in self._calibrations if item.criterion_sha256 == sha256]
        return replace(judged, result=calibrated(judged.result, same), views=distinct(judged.views))


async def evaluated_together(
    evaluators: Sequence[CriterionEvaluator], trajectory: Trajectory
) -> list[JudgedRun]:
    """What a run is worth by several criteria that look at it alike, by one judge, in their order."""
    criteria = await asyncio.gather(*(each.compiled() for each in evaluators))
    judged = await evaluators[0].judging.evaluate_together(trajectory, criteria)
    return [
        each.calibrated(found, criterion.sha256)
        for each, found, criterion in zip(evaluators, judged, criteria, strict=True)
    ]


def distinct(views: Sequence[AggregatedSteps]) -> tuple[AggregatedSteps, ...]:
    """Each view once, in order."""
    found: list[AggregatedSteps] = []
    for view in views:
        if view not in found:
            found.append(view)
    return tuple(found)
