"""One run under judgement: its views, made once each, and its checks, judged part by part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adjudge.extension.judge_protocols import Judge
from adjudge.granularity.aggregator import StepAggregatorService
from adjudge.granularity.decomposer import TaskDecomposerService
from adjudge.granularity.digests import clipped_to_tokens, tokens_of
from adjudge.granularity.evidence import Places
from adjudge.granularity.judging_checks import judge_checks
from adjudge.granularity.parts import fitted, groups_of, packed
from adjudge.granularity.reducing import merged, over_parts
from adjudge.granularity.viewing import room_of, task_of, view_of
from adjudge.model.aggregated import AggregatedSteps
from adjudge.model.evaluation import Check, CheckResult, CompiledCriterion
from adjudge.model.trajectory import Trajectory


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
        self.places = Places(trajectory)
        self._trajectory = trajectory
        self._decomposer = decomposer
        self._aggregator = aggregator
        self._judge = judge
        self._criterion = criterion
        self._budget = budget
        self._room = room_of(budget)
        self._strict = strict
        self._views: dict[str, AggregatedSteps] = {}

    @property
    def views(self) -> tuple[AggregatedSteps, ...]:
        """Every granularity that was used, in the order of use."""
        return tuple(self._views.values())

    async def judged(self, level: str, checks: Sequence[Check]) -> list[CheckResult]:
        """The checks, in their order, at one granularity."""
        view = await self._view(level)
        task = clipped_to_tokens(task_of(self._trajectory), self._room // 8)
        overview = clipped_to_tokens(view.aggregated_content, self._room // 3)
        room = self._room - tokens_of(overview) - tokens_of(task)
        steps = self.places.steps
        parts = packed(groups_of(view.step_mapping, steps), self.places, room) or [steps]
        judged = await asyncio.gather(
            *(
                judge_checks(
                    self._judge,
                    checks,
                    self.places,
                    part,
                    shown=fitted(part, self.places, room),
                    task=task,
                    overview=overview,
                    granularity=level,
                    strict=self._strict,
                )
                for part in parts
            )
        )
        return [over_parts(check, [results[at] for results in judged]) for at, check in enumerate(checks)]

    async def decided_closer(self, level: str, results: Sequence[CheckResult]) -> list[CheckResult]:
        """The checks that are open, judged again at a narrower view; the others as they are."""
        asked = self._asked(results, "unsure")
        again = {item.check_id: item for item in await self.judged(level, asked)}
        return [again.get(item.check_id, item) for item in results]

    async def located(self, level: str, results: Sequence[CheckResult]) -> list[CheckResult]:
        """The checks that are not met, with what a narrower view shows of where; no verdict changes."""
        asked = self._asked(results, "not_met")
        closer = {item.check_id: item for item in await self.judged(level, asked) if item.state == "not_met"}
        return [
            item.model_copy(update={"evidence": merged([item.evidence, closer[item.check_id].evidence])})
            if item.check_id in closer
            else item
            for item in results
        ]

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
