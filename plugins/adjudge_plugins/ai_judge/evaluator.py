"""``JudgeEvaluatorService``: coordinates the services, and decides (seed 003, sections 2 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.kit.evaluation import CompiledCriterion
from adjudge.model import (
    AggregatedSteps,
    CheckResult,
    EvaluationResult,
    GranularityChoice,
    Trajectory,
    Verdict,
    WordedCriterion,
)
from adjudge.plugin import Judge, judge_use
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.analyzer import GranularityAnalyzerService
from adjudge_plugins.ai_judge.budget import DEFAULT_BUDGET
from adjudge_plugins.ai_judge.check_aggregation import (
    confidence_of,
    deciding_results,
    is_decided_by_part,
    merged,
    open_results,
    verdict_of,
)
from adjudge_plugins.ai_judge.decomposer import TaskDecomposerService
from adjudge_plugins.ai_judge.evidence import Places
from adjudge_plugins.ai_judge.run_evaluation import RunUnderJudgement


class JudgeEvaluatorService:
    """Judges runs by compiled criteria."""

    def __init__(
        self,
        decomposer: TaskDecomposerService,
        analyzer: GranularityAnalyzerService,
        aggregator: StepAggregatorService,
        judge: Judge,
        *,
        granularity: str | None = None,
        budget: int = DEFAULT_BUDGET,
        strict_evidence: bool = False,
    ) -> None:
        """Coordinate the other services.

        Args:
            decomposer: Finds sub-tasks.
            analyzer: Chooses granularities.
            aggregator: Makes a run's text at a granularity.
            judge: Decides.
            granularity: The strategy of all criteria, whatever they name.
            budget: Tokens that one request may have.
            strict_evidence: Whether a run that shows nothing of what came back supports no outcome.
        """
        self._decomposer = decomposer
        self._analyzer = analyzer
        self._aggregator = aggregator
        self._judge = judge
        self._granularity = granularity
        self._budget = budget
        self._strict = strict_evidence

    async def choose(self, criterion: CompiledCriterion) -> GranularityChoice:
        """The granularity of a criterion. Asked before any run is judged, every run is judged by the same choice."""
        worded = WordedCriterion(
            name=criterion.name,
            description=criterion.description,
            granularity=criterion.granularity,
            checks=tuple(check.text for check in criterion.checks),
        )
        return await self._analyzer.choose(worded, option=self._granularity)

    async def evaluate(self, trajectory: Trajectory, criterion: CompiledCriterion) -> EvaluationResult:
        """What the run is worth by one criterion."""
        result, _ = await self.evaluate_with_views(trajectory, criterion)
        return result

    async def evaluate_with_views(
        self, trajectory: Trajectory, criterion: CompiledCriterion
    ) -> tuple[EvaluationResult, tuple[AggregatedSteps, ...]]:
        """The same, with every view of the run that the judge was given, in the order of use."""
        choice = await self.choose(criterion)
        with judge_use() as asked:
            run = RunUnderJudgement(
                trajectory,
                self._decomposer,
                self._aggregator,
                self._judge,
                criterion,
                budget=self._budget,
                strict=self._strict,
            )
            results = await run.judged(choice.name, criterion.checks)
            verdict = verdict_of(results, criterion.threshold)
            used = choice.name
            if choice.chosen_by in ("rules", "judge"):
                for finer in self._analyzer.finer_than(choice.name):
                    if verdict is Verdict.UNSURE and open_results(results):
                        results = await run.decided_again(finer, results)
                        verdict = verdict_of(results, criterion.threshold)
                        used = finer
                    elif verdict is Verdict.FAIL:
                        results = await run.located(finer, results)
        if asked.fatal is not None:
            raise asked.fatal
        deciding = deciding_results(results, verdict)
        result = EvaluationResult(
            criterion_name=criterion.name,
            verdict=verdict,
            reasoning=_reasoning(deciding, results),
            confidence_score=confidence_of(results, verdict, criterion.threshold),
            used_granularity=used,
            evidence=merged([item.evidence for item in deciding]),
            reason_codes=_codes(criterion, results, deciding, run.places),
            error=next((item.error for item in deciding if item.error is not None), None),
            granularity=choice,
            checks=tuple(results),
            criterion_sha256=criterion.sha256,
            judging=asked.use(),
        )
        return result, run.views


def _reasoning(deciding: Sequence[CheckResult], results: Sequence[CheckResult]) -> str:
    """The reasons of the checks that the verdict rests on, with the statement each is about."""
    told = deciding or results
    if len(results) == 1:
        return told[0].reasoning or told[0].text
    return " ".join(
        f"{item.text} ({item.state.replace('_', ' ')}): {item.reasoning or 'no reason given'}"
        for item in told
    )


def _codes(
    criterion: CompiledCriterion,
    results: Sequence[CheckResult],
    deciding: Sequence[CheckResult],
    places: Places,
) -> tuple[str, ...]:
    """Why a verdict is what it is, or is to be taken with care; each code once."""
    codes: list[str] = [item.unsure_code for item in deciding if item.unsure_code is not None]
    checks = {check.check_id: check for check in criterion.checks}
    if deciding and all(item.state == "not_applicable" for item in deciding):
        codes.append("not_applicable")
    if not places.shows_outcomes and any(checks[item.check_id].about == "outcome" for item in deciding):
        codes.append("self_reported")
    if any(item.steps_not_shown and not is_decided_by_part(checks[item.check_id], item) for item in deciding):
        codes.append("steps_not_shown")
    flags = (flag for item in results for flag in item.votes.flags)
    return tuple(dict.fromkeys([*codes, *flags]))
