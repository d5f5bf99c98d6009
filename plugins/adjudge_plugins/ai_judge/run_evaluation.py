"""One run under judgement: its views, made once each, and its checks, judged part by part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adjudge.kit.digests import clipped_to_tokens, tokens_shown
from adjudge.kit.evaluation import Check, CompiledCriterion
from adjudge.model import AggregatedSteps, CheckResult, Trajectory
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.budget import LEAST_BUDGET, view_of
from adjudge_plugins.ai_judge.check_aggregation import merged, open_results, over_parts
from adjudge_plugins.ai_judge.check_evaluation import Looking
from adjudge_plugins.ai_judge.chunking import groups_of, packed
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService
from adjudge_plugins.ai_judge.injection import judged_without_speech
from adjudge_plugins.ai_judge.partition import most_clusters
from adjudge_plugins.ai_judge.question import Surroundings, asked_together, tokens_without_run
from adjudge_plugins.ai_judge.run_text import material_of


class RunUnderJudgement:
    """Judges the checks of one criterion on one run, at any granularity."""

    def __init__(
        self,
        trajectory: Trajectory,
        decomposer: TaskDecomposerService,
        aggregator: StepAggregatorService,
        judge: Judge,
        criterion: CompiledCriterion,
        *,
        budget: int,
        strict: bool,
    ) -> None:
        """Prepare; nothing is asked yet. The arguments are those of ``JudgeEvaluatorService``."""
        self._material = material_of(trajectory)
        self.places = self._material.places
        self._trajectory = trajectory
        self._decomposer = decomposer
        self._aggregator = aggregator
        self._judge = judge
        self._criterion = criterion
        self._budget = max(LEAST_BUDGET, budget)
        self._strict = strict
        self._views: dict[str, AggregatedSteps] = {}

    @property
    def views(self) -> tuple[AggregatedSteps, ...]:
        """Every granularity that was used, in the order of use."""
        return tuple(self._views.values())

    async def judged(self, level: str, checks: Sequence[Check]) -> list[CheckResult]:
        """The checks, in their order, at one granularity."""
        most = None if self._aggregator.reads(level) == "steps" else most_clusters(len(self.places.steps))
        return await self._judged(level, checks, self.places.steps, most)

    async def decided_again(self, level: str, results: Sequence[CheckResult]) -> list[CheckResult]:
        """The checks that are open, judged again at a finer granularity; the others as they are."""
        asked = self._asked(open_results(results), "unsure")
        most = most_clusters(len(self.places.steps))
        again = {item.check_id: item for item in await self._judged(level, asked, self.places.steps, most)}
        return [again.get(item.check_id, item) for item in results]

    async def located(self, level: str, results: Sequence[CheckResult]) -> list[CheckResult]:
        """The checks that are not met, with the evidence that a finer granularity adds; no verdict changes.

        Where single steps are looked at, only those of the sub-tasks in which evidence was found before.
        """
        asked = self._asked(results, "not_met")
        steps: Sequence[int] = self.places.steps
        if self._aggregator.reads(level) == "steps":
            steps = await self._around([item for item in results if item.state == "not_met"])
        if not steps:
            return list(results)
        found = await self._judged(level, asked, steps, most_clusters(len(self.places.steps)))
        finer = {item.check_id: item for item in found if item.state == "not_met"}
        return [
            item.model_copy(update={"evidence": merged([item.evidence, finer[item.check_id].evidence])})
            if item.check_id in finer
            else item
            for item in results
        ]

    async def _judged(
        self, level: str, checks: Sequence[Check], steps: Sequence[int], most: int | None
    ) -> list[CheckResult]:
        """The checks over some steps, in at most so many parts."""
        if not checks:
            return []
        view = await self._view(level)
        questions = list(asked_together(checks, self._budget, self._judge))
        room = self._budget - max(tokens_without_run(question, self._judge) for question in questions)
        around = Surroundings(
            task=clipped_to_tokens(self._trajectory.goal, room // 8),
            overview=clipped_to_tokens(view.aggregated_content, room // 2),
        )
        looking = Looking(
            judge=self._judge,
            material=self._material,
            around=around,
            room=room - tokens_shown(around.task) - tokens_shown(around.overview),
            granularity=level,
            strict=self._strict,
        )
        parts = self._parts(view, level, steps, looking.room, most)
        judged = await asyncio.gather(
            *(judged_without_speech(looking, question, part) for question in questions for part in parts)
        )
        by_check: dict[str, list[CheckResult]] = {}
        for result in (result for results in judged for result in results):
            by_check.setdefault(result.check_id, []).append(result)
        return [over_parts(check, by_check[check.check_id]) for check in checks]

    def _parts(
        self, view: AggregatedSteps, level: str, steps: Sequence[int], room: int, most: int | None
    ) -> list[tuple[int, ...]]:
        """The steps of each question."""
        match self._aggregator.reads(level):
            case "run":
                return [tuple(steps)]
            case "steps":
                return packed([(step,) for step in steps], self._material, room, most) or [()]
            case "groups":
                groups = groups_of(view.step_mapping, steps)
                return packed(groups, self._material, room, most) or [()]

    async def _around(self, results: Sequence[CheckResult]) -> Sequence[int]:
        """The steps of the sub-tasks in which evidence stands. That something never happened has no place."""
        cited = {citation.step for item in results for citation in item.evidence.citations}
        decomposition = await self._decomposer.decompose(self._trajectory)
        found = [cluster.steps for cluster in decomposition.clusters if cited.intersection(cluster.steps)]
        return [step for steps in found for step in steps]

    async def _view(self, level: str) -> AggregatedSteps:
        if level not in self._views:
            self._views[level] = await view_of(
                self._trajectory,
                level,
                self._decomposer,
                self._aggregator,
                criterion_name=self._criterion.name,
                criterion_description=self._criterion.description,
                writer=self._judge,
                budget=self._budget,
            )
        return self._views[level]

    def _asked(self, results: Sequence[CheckResult], state: str) -> list[Check]:
        wanted = {item.check_id for item in results if item.state == state}
        return [check for check in self._criterion.checks if check.check_id in wanted]
