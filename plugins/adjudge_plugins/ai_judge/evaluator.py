"""``JudgeEvaluatorService``: coordinates the services and gives the verdict (seed 003, sections 2 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.kit.evaluation import CompiledCriterion
from adjudge.model import (
    AggregatedSteps,
    CheckResult,
    EvaluationResult,
    GranularityChoice,
    JudgeUse,
    TaskDecomposition,
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
from adjudge_plugins.ai_judge.question import AskedCheck
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
        """Connect the services.

        Args:
            decomposer: Finds sub-tasks.
            analyzer: Chooses granularities.
            aggregator: Aggregates a run at a granularity.
            judge: Decides checks.
            granularity: The strategy for all criteria, which overrides theirs; ``None``: no override.
            budget: The tokens of one request.
            strict_evidence: Whether an outcome is never met in a run that records no results.
        """
        self._decomposer = decomposer
        self._analyzer = analyzer
        self._aggregator = aggregator
        self._judge = judge
        self._granularity = granularity
        self._budget = budget
        self._strict = strict_evidence

    def announce(self, criterion: CompiledCriterion) -> None:
        """Register a criterion, so that the question for granularities includes it.

        Raises:
            UnknownNameError: no strategy has the name of its granularity, or two have it; or none is
            installed.
            PluginError: the strategy belongs to a plugin that is not active.
        """
        self._analyzer.ruled(_in_words(criterion), option=self._granularity)

    async def evaluate(self, trajectory: Trajectory, criterion: CompiledCriterion) -> EvaluationResult:
        """Evaluate the run by one criterion."""
        [judged] = await self.evaluate_together(trajectory, [criterion])
        return judged.result

    async def evaluate_together(
        self, trajectory: Trajectory, criteria: Sequence[CompiledCriterion]
    ) -> list[JudgedRun]:
        """Evaluate the run by each of several criteria with different names, in their order.

        Checks on the same steps are asked in one request, whatever their criterion and granularity. A finer
        granularity is used only if a judge has not seen all steps as they were recorded: otherwise it cannot
        add anything.
        """
        run = RunUnderJudgement(
            trajectory,
            self._decomposer,
            self._aggregator,
            self._judge,
            budget=self._budget,
            strict=self._strict,
        )
        choices = await self._choices(run, criteria)
        with judge_use() as asked:
            verdicts = [_OpenVerdict(*each) for each in zip(criteria, choices, strict=True)]
            first = [check for item in verdicts for check in item.checks(item.level)]
            found = await run.judged(first)
            for item in verdicts:
                item.add(found)
                if item.choice.chosen_by in ("rules", "judge"):
                    item.finer = self._analyzer.finer_than(item.level)
            while any(item.finer for item in verdicts):
                await _look_closer(run, [item for item in verdicts if item.finer])
        if asked.fatal is not None:
            raise asked.fatal
        use, decomposition = asked.use(), await run.decomposition()
        return [
            JudgedRun(item.result(run.places, use), run.views(item.criterion.name), decomposition)
            for item in verdicts
        ]

    async def _choices(
        self, run: RunUnderJudgement, criteria: Sequence[CompiledCriterion]
    ) -> list[GranularityChoice]:
        """The granularity of each criterion. The judge is not asked if the choice would have no effect."""
        worded = [_in_words(criterion) for criterion in criteria]
        ruled = [self._analyzer.ruled(each, option=self._granularity, fits=True) for each in worded]
        if any(map(self._analyzer.leaves_open, worded)):
            checks = [
                AskedCheck(criterion, check, choice.name)
                for criterion, choice in zip(criteria, ruled, strict=True)
                for check in criterion.checks
            ]
            if not run.fits(checks):
                return [await self._analyzer.choose(each) for each in worded]
        return ruled


def _in_words(criterion: CompiledCriterion) -> WordedCriterion:
    return WordedCriterion(
        name=criterion.name,
        description=criterion.description,
        granularity=criterion.granularity,
        checks=tuple(check.text for check in criterion.checks),
    )


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The evaluation of a run by one criterion, and the granularity used."""

    result: EvaluationResult
    views: tuple[AggregatedSteps, ...]
    """Every view of the run that the judge was shown, in the order of use."""
    decomposition: TaskDecomposition


@dataclass(slots=True)
class _OpenVerdict:
    """The state of one criterion until its verdict."""

    criterion: CompiledCriterion
    choice: GranularityChoice
    results: list[CheckResult] = field(default_factory=list[CheckResult])
    finer: list[str] = field(default_factory=list[str])
    """The finer granularities that remain to be tried, in order."""
    level: str = ""
    """The granularity at which it was last judged."""

    def __post_init__(self) -> None:
        self.level = self.choice.name

    @property
    def verdict(self) -> Verdict | None:
        return verdict_of(self.results, self.criterion.threshold)

    def checks(self, level: str, results: Sequence[CheckResult] | None = None) -> list[AskedCheck]:
        """The checks at a granularity: all, or those of ``results``."""
        wanted = None if results is None else {item.check_id for item in results}
        return [
            AskedCheck(self.criterion, check, level)
            for check in self.criterion.checks
            if wanted is None or check.check_id in wanted
        ]

    def add(self, found: Mapping[str, CheckResult]) -> None:
        """Replace results by the new ones in ``found``."""
        known = {item.check_id: item for item in self.results}
        asked = self.checks(self.level)
        self.results = [
            found[each.item_id] if each.item_id in found else known[each.check.check_id] for each in asked
        ]

    def unseen(self, results: Sequence[CheckResult]) -> list[CheckResult]:
        """The results whose judge has not seen all steps as recorded."""
        return [item for item in results if item.steps_not_shown]

    def result(self, places: Places, use: JudgeUse | None) -> EvaluationResult:
        """The evaluation of the run by the criterion."""
        verdict = self.verdict
        deciding = deciding_results(self.results, verdict)
        return EvaluationResult(
            criterion_name=self.criterion.name,
            verdict=verdict,
            reasoning=_reasoning(deciding, self.results),
            confidence_score=confidence_of(self.results, verdict, self.criterion.threshold),
            used_granularity=self.level,
            evidence=merged([item.evidence for item in deciding]),
            reason_codes=_codes(self.criterion, self.results, deciding, places),
            error=next((item.error for item in deciding if item.error is not None), None),
            granularity=self.choice,
            checks=tuple(self.results),
            criterion_sha256=self.criterion.sha256,
            judging=use,
        )


async def _look_closer(run: RunUnderJudgement, verdicts: Sequence[_OpenVerdict]) -> None:
    """Try the next finer granularity: open checks are judged again, unmet ones get more evidence."""
    again: list[AskedCheck] = []
    failed: list[tuple[AskedCheck, CheckResult]] = []
    for item in verdicts:
        level = item.finer.pop(0)
        verdict = item.verdict
        if verdict is Verdict.UNSURE and (open_ := item.unseen(open_results(item.results))):
            again += item.checks(level, open_)
            item.level = level
        elif verdict is Verdict.FAIL:
            missed = item.unseen([result for result in item.results if result.state == "not_met"])
            failed += zip(item.checks(level, missed), missed, strict=True)
    found = dict(await run.decided_again(again))
    if failed:
        found |= await run.located([asked for asked, _ in failed], [result for _, result in failed])
    for item in verdicts:
        item.add(found)


def _reasoning(deciding: Sequence[CheckResult], results: Sequence[CheckResult]) -> str:
    """The reasons of the deciding checks, each with its statement."""
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
    """The reason codes of a verdict, including warnings, without duplicates."""
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
