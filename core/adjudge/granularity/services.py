"""The services put together, and an evaluator for each criterion."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adjudge.errors import RunError
from adjudge.extension.limits import not_counted
from adjudge.extension.plugin_loops import at_home
from adjudge.extension.protocols import Host
from adjudge.extension.registry import Registry
from adjudge.extension.specs import GranularityStrategySpec
from adjudge.granularity.aggregator import StepAggregatorService
from adjudge.granularity.analyzer import GranularityAnalyzerService
from adjudge.granularity.calibrating import calibrated
from adjudge.granularity.compiling import compiled
from adjudge.granularity.decomposer import TaskDecomposerService
from adjudge.granularity.evaluator import JudgeEvaluatorService
from adjudge.granularity.viewing import DEFAULT_BUDGET, room_of, view_of
from adjudge.judge import usage
from adjudge.judge.client import ReplyStore
from adjudge.judge.client_judge import ClientJudge
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.calibration import Calibration
from adjudge.model.evaluation import CompiledCriterion, EvaluationResult, WordedCriterion
from adjudge.model.trajectory import Trajectory


class Services:
    """The services of seed 003 that come before judging; without a judge they go by code alone."""

    def __init__(
        self,
        strategies: Registry[GranularityStrategySpec],
        host: Host,
        judge: ClientJudge | None,
        *,
        granularity: str | None = None,
        budget: int = DEFAULT_BUDGET,
        correct_phases: bool = False,
    ) -> None:
        """Put them together.

        Args:
            strategies: What is chosen from.
            host: What strategies are made with.
            judge: Who writes names and summaries, and decides between strategies that fit alike.
            granularity: The strategy of all criteria; ``None``: each criterion's own, or the best one.
            budget: Tokens that one request to a judge may have.
            correct_phases: Whether the judge may move where sub-tasks begin, and join them.
        """
        self.strategies = strategies
        self.judge = judge
        self.granularity = granularity
        self.budget = budget
        self.decomposer = TaskDecomposerService(
            judge, corrections=correct_phases, token_budget=room_of(budget) // 3
        )
        self.analyzer = GranularityAnalyzerService(strategies, judge)
        self.aggregator = StepAggregatorService(strategies, host)

    async def views(
        self, trajectory: Trajectory, criteria: Sequence[WordedCriterion]
    ) -> tuple[AggregatedSteps, ...]:
        """The run as each criterion would be judged by, each view once; without criteria, at every granularity.

        Raises:
            PluginError: a strategy raised, or returned what its contract forbids.
        """
        if criteria:
            wanted = [
                ((await self.analyzer.choose(item, option=self.granularity)).name, item) for item in criteria
            ]
        else:
            any_criterion = WordedCriterion(name="", description="")
            names = [item.id for item in self.strategies] if self.granularity is None else [self.granularity]
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
                budget=self.budget,
            )
            for level, criterion in wanted
        ]
        return distinct(views)


class CriterionEvaluator:
    """An ``Evaluator`` (see ``adjudge.plugin.Evaluator``): judges runs by one criterion."""

    def __init__(
        self,
        services: Services,
        judge: ClientJudge,
        checks: ReplyStore,
        criterion: WordedCriterion,
        *,
        strict_evidence: bool = False,
        calibrations: Sequence[Calibration] = (),
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            services: What comes before judging.
            judge: Decides.
            checks: Where it stays for good what a judge broke the criterion into.
            criterion: In its author's words.
            strict_evidence: Whether a run that shows nothing of what came back supports no outcome.
            calibrations: What labels have shown the judge to be worth; those of other checks say nothing here.
        """
        self._criterion = criterion
        self._calibrations = tuple(calibrations)
        self._writer = judge.answering_from(checks)
        self._judging = JudgeEvaluatorService(
            services.decomposer,
            services.analyzer,
            services.aggregator,
            judge,
            granularity=services.granularity,
            budget=services.budget,
            strict_evidence=strict_evidence,
        )
        self._compiling: asyncio.Future[CompiledCriterion] | None = None

    async def compiled(self) -> CompiledCriterion:
        """The criterion with its locked checks, and its granularity chosen, once for all runs."""
        if self._compiling is None:
            # A task of its own: whoever asked first may be cancelled while others wait. What it asks is
            # asked for all runs, so that it stands in the ledger of none.
            self._compiling = asyncio.create_task(self._compiled(), context=usage.apart())
        try:
            compiling = asyncio.shield(self._compiling)
            return await not_counted(lambda: compiling)
        except RunError as error:
            usage.current().fatal = error
            raise

    async def evaluate(self, trajectory: Trajectory) -> EvaluationResult:
        """What the run is worth."""
        result, _ = await self.evaluate_with_views(trajectory)
        return result

    async def evaluate_with_views(
        self, trajectory: Trajectory
    ) -> tuple[EvaluationResult, tuple[AggregatedSteps, ...]]:
        """The same, with every view of the run that the judge was given."""
        return await at_home(lambda: self._evaluated(trajectory))

    async def _evaluated(
        self, trajectory: Trajectory
    ) -> tuple[EvaluationResult, tuple[AggregatedSteps, ...]]:
        criterion = await self.compiled()
        result, views = await self._judging.evaluate_with_views(trajectory, criterion)
        same = [item for item in self._calibrations if item.criterion_sha256 == criterion.sha256]
        return calibrated(result, same), views

    async def _compiled(self) -> CompiledCriterion:
        locked = await compiled(self._criterion, self._writer)
        await self._judging.choose(locked)
        return locked


def distinct(views: Sequence[AggregatedSteps]) -> tuple[AggregatedSteps, ...]:
    """Each view once, in order."""
    found: list[AggregatedSteps] = []
    for view in views:
        if view not in found:
            found.append(view)
    return tuple(found)
