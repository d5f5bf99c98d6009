"""Evaluates one run: divides it into requests, and judges its checks together or part by part."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import clipped_to_tokens, tokens_shown
from adjudge.model import AggregatedSteps, CheckResult, Exhibit, TaskDecomposition, Trajectory
from adjudge.plugin import Judge
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.budget import LEAST_BUDGET, view_of
from adjudge_plugins.ai_judge.check_aggregation import merged, over_parts
from adjudge_plugins.ai_judge.check_evaluation import Looking
from adjudge_plugins.ai_judge.chunking import groups_of, packed
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService
from adjudge_plugins.ai_judge.injection import judged_without_speech
from adjudge_plugins.ai_judge.partition import most_clusters
from adjudge_plugins.ai_judge.question import (
    MOST_ITEMS,
    AskedCheck,
    Surroundings,
    asked_together,
    overview_name,
    tokens_without_run,
)
from adjudge_plugins.ai_judge.run_exhibits import RunExhibits
from adjudge_plugins.ai_judge.run_text import material_of

_OF_THE_REQUEST: Final = ("judge_bad_request", "judge_context_too_long", "judge_refused", "judge_unreadable")
"""Error codes that depend on the content or the size of a request."""

_OVERVIEW_SHARE: Final = 6
"""If the run is shown whole, overviews may take up to one sixth of the run's own tokens."""

_LEAST_OVERVIEW: Final = 200
"""The minimum tokens of an overview; with fewer the run is treated as not fitting into a request."""


@dataclass(frozen=True, slots=True)
class _Room:
    """The room that checks leave in a request."""

    tokens: int
    exhibits: tuple[Exhibit, ...]
    """The context of the steps for the judge."""
    least: int
    """The minimum tokens for overviews."""
    left: int
    """The tokens left for overviews if the run is shown whole; negative if it does not fit."""

    @property
    def fits(self) -> bool:
        """Whether the whole run fits."""
        return self.left >= self.least


class RunUnderJudgement:
    """Judges checks on one run at any granularity."""

    def __init__(
        self,
        trajectory: Trajectory,
        decomposer: TaskDecomposerService,
        aggregator: StepAggregatorService,
        judge: Judge,
        *,
        budget: int,
        strict: bool,
    ) -> None:
        """Prepare without calling the judge. The arguments are those of ``JudgeEvaluatorService``."""
        self._material = material_of(trajectory)
        self.places = self._material.places
        self._exhibits = RunExhibits(trajectory)
        self._trajectory = trajectory
        self._decomposer = decomposer
        self._aggregator = aggregator
        self._judge = judge
        self._budget = max(LEAST_BUDGET, budget)
        self._strict = strict
        self._written = False
        """Whether a model has written summaries because the run did not fit into a request."""
        self._views: dict[tuple[str, str, str], AggregatedSteps] = {}

    def views(self, criterion: str) -> tuple[AggregatedSteps, ...]:
        """Every view that was made for a criterion, in the order of use."""
        return tuple(view for (_, name, _), view in self._views.items() if name == criterion)

    async def decomposition(self) -> TaskDecomposition:
        """The sub-tasks that were used."""
        return await self._decomposer.decompose(self._trajectory, written=self._is_written)

    async def judged(self, asked: Sequence[AskedCheck]) -> dict[str, CheckResult]:
        """Judge checks, each at its own granularity; returns results by item id."""
        return await self._judged(asked, self.places.steps, closer=False)

    async def decided_again(self, asked: Sequence[AskedCheck]) -> dict[str, CheckResult]:
        """Judge open checks again at a finer granularity; returns results by item id."""
        return await self._judged(asked, self.places.steps, closer=True)

    async def located(
        self, asked: Sequence[AskedCheck], results: Sequence[CheckResult]
    ) -> dict[str, CheckResult]:
        """Judge unmet checks at a finer granularity to add evidence; their states do not change.

        If single steps are read at that granularity, only the sub-tasks with earlier evidence are shown.
        """
        around = await self._around(results)
        by_steps: dict[tuple[int, ...], list[AskedCheck]] = {}
        for each in asked:
            steps = around if self._aggregator.reads(each.level) == "steps" else self.places.steps
            if steps:
                by_steps.setdefault(tuple(steps), []).append(each)
        found: dict[str, CheckResult] = {}
        for steps, group in by_steps.items():
            found |= await self._judged(group, steps, closer=True)
        return {
            each.item_id: item.model_copy(
                update={"evidence": merged([item.evidence, found[each.item_id].evidence])}
            )
            for each, item in zip(asked, results, strict=True)
            if each.item_id in found and found[each.item_id].state == "not_met"
        }

    async def _judged(
        self, asked: Sequence[AskedCheck], steps: Sequence[int], *, closer: bool
    ) -> dict[str, CheckResult]:
        """Judge checks on some steps, with a single question if the run and the checks fit into a request."""
        found = await self._judged_of(self._questions(asked), steps, closer=closer)
        # If a provider refuses one statement, or the answer is too long, each criterion is asked separately.
        failed = [each for each in asked if _may_fail_alone(found[each.item_id])]
        by_criterion: dict[str, list[AskedCheck]] = {}
        for each in failed:
            by_criterion.setdefault(each.criterion.name, []).append(each)
        if len(by_criterion) > 1:
            found |= await self._judged_of(by_criterion.values(), steps, closer=closer)
        return found

    async def _judged_of(
        self, questions: Iterable[Sequence[AskedCheck]], steps: Sequence[int], *, closer: bool
    ) -> dict[str, CheckResult]:
        judged = await asyncio.gather(
            *(self._judged_together(question, steps, closer=closer) for question in questions)
        )
        return {item_id: result for found in judged for item_id, result in found.items()}

    def fits(self, asked: Sequence[AskedCheck]) -> bool:
        """Whether every request about these checks can show the whole run, at any granularity."""
        return all(self._room(question).fits for question in self._questions(asked))

    def _questions(self, asked: Sequence[AskedCheck]) -> list[Sequence[AskedCheck]]:
        """Group checks into questions that leave room for the whole run, else for a large part of it."""
        full = [asked[first : first + MOST_ITEMS] for first in range(0, len(asked), MOST_ITEMS)]
        if all(self._room(question).fits for question in full):
            return full
        return list(asked_together(asked, self._budget, self._judge))

    def _room(self, asked: Sequence[AskedCheck]) -> _Room:
        room = self._budget - tokens_without_run(asked, self._judge)
        least = _LEAST_OVERVIEW * len({each.level for each in asked})
        around = room - self._material.tokens
        exhibits = self._exhibits.within(min(room // 2, max(around - least, room // 4)))
        left = around - Surroundings(exhibits, ()).tokens
        return _Room(room, exhibits, least, left)

    async def _judged_together(
        self, asked: Sequence[AskedCheck], steps: Sequence[int], *, closer: bool
    ) -> dict[str, CheckResult]:
        room = self._room(asked)
        if room.fits and steps == self.places.steps:
            views = [await self._view(each, written=False) for each in asked]
            # The recorded steps follow, so the overviews must stay much smaller than the steps.
            share = max(room.least, self._material.tokens // _OVERVIEW_SHARE)
            overviews = self._overviews(views, min(room.left, share))
            looking = self._looking(Surroundings(room.exhibits, overviews), room.tokens)
            results = await judged_without_speech(looking, asked, steps)
            return {each.item_id: result for each, result in zip(asked, results, strict=True)}
        self._written = True
        by_view: dict[tuple[str, str], list[AskedCheck]] = {}
        for each in asked:
            view = await self._view(each, written=True)
            by_view.setdefault((view.granularity, view.aggregated_content), []).append(each)
        judged = await asyncio.gather(
            *(self._judged_in_parts(group, steps, room.tokens, closer=closer) for group in by_view.values())
        )
        return {item_id: result for found in judged for item_id, result in found.items()}

    async def _judged_in_parts(
        self, asked: Sequence[AskedCheck], steps: Sequence[int], room: int, *, closer: bool
    ) -> dict[str, CheckResult]:
        """Judge checks of one granularity on a run that does not fit into a request."""
        level = asked[0].level
        view = await self._view(asked[0], written=True)
        around = Surroundings(self._exhibits.within(room // 4), self._overviews([view], room // 4))
        looking = self._looking(around, room)
        sees_all = self._aggregator.reads(level) == "steps" and not closer
        most = None if sees_all else most_clusters(len(self.places.steps))
        parts = self._parts(view, level, steps, looking.room, most)
        judged = await asyncio.gather(*(judged_without_speech(looking, asked, part) for part in parts))
        return {
            each.item_id: over_parts(each.check, [results[at] for results in judged])
            for at, each in enumerate(asked)
        }

    def _overviews(self, views: Sequence[AggregatedSteps], room: int) -> tuple[Exhibit, ...]:
        """The views as exhibits without duplicates, within ``room`` tokens in all."""
        made = {(view.granularity, view.aggregated_content): view for view in views}
        share = room // max(1, len(made))
        return tuple(
            Exhibit(
                name=overview_name(view.granularity, by_judge="written_by_judge" in view.summary_metadata),
                text=self._shortened(view, share),
            )
            for view in made.values()
            if view.aggregated_content
        )

    def _shortened(self, view: AggregatedSteps, most: int) -> str:
        """Shorten a view to ``most`` tokens; in a view of single steps all lines are shortened before any is dropped."""
        if (
            self._aggregator.reads(view.granularity) == "steps"
            and tokens_shown(view.aggregated_content) > most
        ):
            return self._material.lines(self.places.steps, most)
        return clipped_to_tokens(view.aggregated_content, most)

    def _looking(self, around: Surroundings, room: int) -> Looking:
        return Looking(
            judge=self._judge,
            material=self._material,
            around=around,
            room=room - around.tokens,
            strict=self._strict,
        )

    def _parts(
        self, view: AggregatedSteps, level: str, steps: Sequence[int], room: int, most: int | None
    ) -> list[tuple[int, ...]]:
        """Divide the steps into the parts that are judged separately."""
        match self._aggregator.reads(level):
            case "run":
                return [tuple(steps)]
            case "steps":
                return packed([(step,) for step in steps], self._material, room, most) or [()]
            case "groups":
                groups = groups_of(view.step_mapping, steps)
                return packed(groups, self._material, room, most) or [()]

    async def _around(self, results: Sequence[CheckResult]) -> Sequence[int]:
        """The steps of the sub-tasks that contain citations. Absences have no place in the run."""
        cited = {citation.step for item in results for citation in item.evidence.citations}
        clusters = (await self.decomposition()).clusters
        found = [cluster.steps for cluster in clusters if cited.intersection(cluster.steps)]
        return [step for steps in found for step in steps]

    @property
    def _is_written(self) -> bool:
        return self._written or self._decomposer.corrects

    async def _view(self, asked: AskedCheck, *, written: bool) -> AggregatedSteps:
        """The run at the granularity of a check, by code alone unless ``written``. The first result is cached."""
        key = (asked.level, asked.criterion.name, asked.criterion.description)
        if key not in self._views:
            self._views[key] = await view_of(
                self._trajectory,
                asked.level,
                self._decomposer,
                self._aggregator,
                criterion_name=asked.criterion.name,
                criterion_description=asked.criterion.description,
                writer=self._judge if written or self._decomposer.corrects else None,
                budget=self._budget,
            )
        return self._views[key]


def _may_fail_alone(result: CheckResult) -> bool:
    """Whether the check failed for a reason that may not occur in a smaller request."""
    return result.error is not None and result.error.code in _OF_THE_REQUEST
