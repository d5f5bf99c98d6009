"""Estimating: how many requests and tokens a plan over logs would need, before anything is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.protocols import SupportsPreparation
from adjudge.judge.rehearsal import Rehearsal
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.eval_set import EvalCase
from adjudge.runner.log_source import LogSource
from adjudge.runner.plan import Plan, PlannedCriterion
from adjudge.runner.scoring import asked_with, prepared, score


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What would be asked: the least and the most. Answers that are known already count for nothing."""

    requests: tuple[int, int] = (0, 0)
    tokens: tuple[int, int] = (0, 0)
    """Of what is asked and answered, estimated without a tokenizer, rather too high than too low."""
    cost: tuple[float | None, float | None] = (0.0, 0.0)
    """USD; ``None`` where a price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What judging logs would take."""

    runs: int
    """Runs in the logs that can be read."""
    criteria: dict[tuple[str, ...], Needed] = field(default_factory=dict[tuple[str, ...], Needed])
    """By the names of the criteria that share requests."""
    total: Needed = field(default_factory=Needed)


@dataclass(slots=True)
class _Counted:
    requests: int = 0
    tokens: int = 0
    cost: float | None = 0.0

    def add(self, other: _Counted) -> None:
        self.requests += other.requests
        self.tokens += other.tokens
        self.cost = None if self.cost is None or other.cost is None else self.cost + other.cost


async def estimated(make_plan: Callable[[], Awaitable[Plan]]) -> Estimate:
    """What a plan over logs would need. It is made twice: what one rehearsal decided must not spare the other a call.

    Raises:
        InputError: with every problem of the plan.
    """
    runs, least = await _rehearsed(await make_plan(), most=False)
    _, most = await _rehearsed(await make_plan(), most=True)
    total = (_Counted(), _Counted())
    criteria: dict[tuple[str, ...], Needed] = {}
    for names in least:
        pair = (least[names], most.get(names, least[names]))
        criteria[names] = _needed(pair)
        for counted, each in zip(total, pair, strict=True):
            counted.add(each)
    return Estimate(runs=runs, criteria=criteria, total=_needed(total))


def _needed(pair: tuple[_Counted, _Counted]) -> Needed:
    low, high = pair
    return Needed(
        requests=(low.requests, max(low.requests, high.requests)),
        tokens=(low.tokens, max(low.tokens, high.tokens)),
        cost=(low.cost, high.cost),
    )


async def _rehearsed(plan: Plan, *, most: bool) -> tuple[int, dict[tuple[str, ...], _Counted]]:
    """How many runs there are, and what was asked of judges that nobody called."""
    source = plan.source
    if not isinstance(source, LogSource):
        raise TypeError("only a plan over logs can be estimated")
    rehearsal = Rehearsal(most=most)
    groups: dict[object, list[PlannedCriterion]] = {}
    for number, planned in enumerate(source.criteria):
        groups.setdefault(asked_with(planned, number), []).append(planned)
    counted = {
        tuple(item.rule.criterion_name for item in group): _Counted()
        for group in groups.values()
        if any(item.judges for item in group)
    }
    runs = 0

    async def measured(group: list[PlannedCriterion], what: Awaitable[object]) -> None:
        before = (rehearsal.requests, rehearsal.input_tokens + rehearsal.output_tokens, rehearsal.cost)
        await what
        tokens = rehearsal.input_tokens + rehearsal.output_tokens
        cost = None if rehearsal.cost is None or before[2] is None else rehearsal.cost - before[2]
        counted[tuple(item.rule.criterion_name for item in group)].add(
            _Counted(rehearsal.requests - before[0], tokens - before[1], cost)
        )

    asking = [group for group in groups.values() if any(item.judges for item in group)]
    async with plugin_loops():
        try:
            plan.judges.open(None)
            plan.judges.rehearse(rehearsal)
            for group in asking:
                for item in group:
                    if isinstance(item.criterion, SupportsPreparation):
                        await measured(group, prepared(item, item.criterion))
            async for run_number, run in source.runs():
                if run.failure is not None:
                    continue
                runs += 1
                case = CaseUnderTest(case=EvalCase(eval_id=str(run_number)), actual=run.trajectory)
                for group in asking:
                    await measured(group, score(group, case, within=None))
        finally:
            await plan.judges.aclose()
            await source.aclose()
    return runs, counted
