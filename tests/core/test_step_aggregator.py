"""The aggregator hands a run to a strategy by name, and holds every strategy to its contract."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import InputError, PluginError, Problem, UnknownNameError
from adjudge.model import Content, Invocation, Step
from adjudge.plugin import (
    AggregatedSteps,
    AggregationContext,
    GranularityStrategySpec,
    Trajectory,
    hookimpl,
)
from adjudge.testing import FakeHost, manager
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService

RUN = Trajectory(
    invocations=(Invocation(user_content=Content.of_text("go"), steps=(Step(number=2), Step(number=3))),)
)


class Acme:
    """A plugin whose one strategy returns, or raises, what it is given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.made = 0

    @hookimpl.granularity_strategies
    def strategies(self) -> list[GranularityStrategySpec]:
        return [GranularityStrategySpec(name="acme", summary="x", factory=self.factory, when_to_use="always")]

    def factory(self, _config: object, _host: object) -> Any:
        self.made += 1
        return self

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def service(plugin: Acme, folder: Path) -> StepAggregatorService:
    return StepAggregatorService(FakeHost(folder, strategies=manager(plugin).granularity_strategies))


def aggregate(answer: Any, folder: Path, *, token_budget: int | None = None) -> AggregatedSteps:
    context = AggregationContext(criterion_name="x", clusters=list, token_budget=token_budget)
    return asyncio.run(service(Acme(answer), folder).aggregate("acme", RUN, context))


def steps(**changes: Any) -> AggregatedSteps:
    return AggregatedSteps(
        **{
            "granularity": "acme",
            "aggregated_content": "two steps",
            "step_mapping": {"all": (2, 3)},
            **changes,
        }
    )


def test_what_a_strategy_made_comes_back_as_it_is(tmp_path: Path) -> None:
    assert aggregate(steps(), tmp_path, token_budget=100) == steps()


def test_a_strategy_is_made_once(tmp_path: Path) -> None:
    plugin = Acme(steps())
    made = service(plugin, tmp_path)
    context = AggregationContext(criterion_name="x", clusters=list)

    for _ in range(2):
        asyncio.run(made.aggregate("acme", RUN, context))

    assert plugin.made == 1


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (steps(granularity="other"), "granularity is 'other', expected 'acme'"),
        (steps(step_mapping={"all": (1, 2)}), "'all' names steps that the run does not have: [1]"),
        (steps(summary_metadata={"share": float("nan")}), "summary_metadata is not JSON"),
        (steps(summary_metadata={"when": Path()}), "summary_metadata is not JSON"),
        (steps(aggregated_content="word " * 400), "aggregated_content has 500 tokens, the budget is 100"),
        ({"granularity": "acme"}, "returned dict; expected AggregatedSteps"),
        (None, "returned NoneType; expected AggregatedSteps"),
        (ZeroDivisionError("oops"), "raised in aggregate: ZeroDivisionError: oops"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_contract_is_an_error_that_names_the_plugin(
    answer: Any, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(PluginError) as raised:
        aggregate(answer, tmp_path, token_budget=100)

    assert complaint in str(raised.value)
    assert "plugin acme (in-memory 0)" in str(raised.value)


def test_an_error_that_is_already_clear_passes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        aggregate(InputError(Problem(what="no such file")), tmp_path)


def test_an_unknown_strategy_is_named_with_what_there_is(tmp_path: Path) -> None:
    context = AggregationContext(criterion_name="x", clusters=list)

    with pytest.raises(UnknownNameError, match="Did you mean 'acme'"):
        asyncio.run(service(Acme(steps()), tmp_path).aggregate("acmee", RUN, context))
