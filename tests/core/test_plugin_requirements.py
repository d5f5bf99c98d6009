"""The plan checks the modules and options of every component that takes part; a listing describes any options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from pydantic import Field

from adjudge import evaluate_sync, judge_logs_sync
from adjudge.errors import InputError
from adjudge.extension.loader import Extensions
from adjudge.plugin import (
    AgentAdapterSpec,
    ComponentConfig,
    CriterionSpec,
    GranularityStrategySpec,
    ReporterSpec,
    TraceReaderSpec,
    hookimpl,
)
from adjudge.runner.inventory import option_facts

ABSENT = ("a_module_nobody_has",)
TURN = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hello"}]}}
CASES = {"eval_set_id": "set", "eval_cases": [{"eval_id": "one", "conversation": [TURN]}]}


class Target(ComponentConfig):
    target: str


class Demanding(ComponentConfig):
    depth: int
    """An option without a default."""


class Failing(ComponentConfig):
    depth: int = Field(default_factory=lambda: 1 // 0)
    """An option whose default cannot be had."""


class Silent:
    """Its text cannot be had."""

    def __repr__(self) -> str:
        raise SystemExit(0)


class Unspeakable(ComponentConfig):
    depth: Any = Silent()
    """An option whose default cannot be shown."""


def never(_config: object, _host: object) -> NoReturn:
    raise AssertionError("made without its modules")


class Acme:
    """Components that need a module which is not installed."""

    @hookimpl.agent_adapters
    def agent_adapters(self) -> Iterable[AgentAdapterSpec]:
        yield AgentAdapterSpec(name="odd", summary="An agent", factory=never, config=Target, requires=ABSENT)

    @hookimpl.reporters
    def reporters(self) -> Iterable[ReporterSpec]:
        yield ReporterSpec(name="odd", summary="Writes", factory=never, suffixes=(".odd",), requires=ABSENT)
        yield ReporterSpec(
            name="asking", summary="Asks", factory=never, suffixes=(".asking",), config=Demanding
        )

    @hookimpl.trace_readers
    def trace_readers(self) -> Iterable[TraceReaderSpec]:
        yield TraceReaderSpec(name="odd", summary="Reads", factory=never, requires=ABSENT)

    @hookimpl.granularity_strategies
    def strategies(self) -> Iterable[GranularityStrategySpec]:
        yield GranularityStrategySpec(
            name="odd", summary="Aggregates", factory=never, when_to_use="never", requires=ABSENT
        )

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        yield CriterionSpec(name="failing", summary="Fails", factory=never, config=Failing)


@pytest.fixture
def extensions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_built_ins: Callable[[object], Extensions]
) -> Extensions:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.test.json").write_text(json.dumps(CASES), encoding="utf-8")
    return beside_built_ins(Acme())


def evaluated(extensions: Extensions, agent: object, **options: Any) -> None:
    config = options.pop("criteria", {"response_match_score": 0.8})
    evaluate_sync(agent, "set.test.json", config={"criteria": config}, extensions=extensions, **options)


def uncalled(_: str) -> NoReturn:
    raise AssertionError("the agent was called")


def test_an_agent_adapter_without_its_modules_stops_the_plan(extensions: Extensions) -> None:
    with pytest.raises(InputError, match="needs the module 'a_module_nobody_has', which is not installed"):
        evaluated(extensions, "odd:x")


@pytest.mark.parametrize(
    ("output", "told"),
    [("report.odd", "needs the module 'a_module_nobody_has'"), ("report.asking", "depth")],
)
def test_a_reporter_that_cannot_be_made_stops_the_plan(
    extensions: Extensions, output: str, told: str
) -> None:
    with pytest.raises(InputError, match=told):
        evaluated(extensions, uncalled, outputs=[output])


@pytest.mark.parametrize(
    "options", [{"reader": "odd"}, {"granularity": "odd"}], ids=lambda given: next(iter(given))
)
def test_what_judging_names_without_its_modules_stops_the_plan(
    extensions: Extensions, tmp_path: Path, options: dict[str, str]
) -> None:
    log = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (tmp_path / "chat.json").write_text(json.dumps(log), encoding="utf-8")

    with pytest.raises(InputError, match="needs the module 'a_module_nobody_has'"):
        judge_logs_sync(
            "chat.json", [{"name": "kind", "description": "It is kind."}], aggregate_only=True,
            extensions=extensions, **options,
        )  # fmt: skip


def test_an_error_in_the_options_of_a_component_names_its_plugin(extensions: Extensions) -> None:
    with pytest.raises(
        InputError, match=r"plugin acme \(acme-metrics 0\) raised in the options of 'failing'"
    ):
        evaluated(extensions, uncalled, criteria={"failing": 0.5})


@pytest.mark.parametrize("config", [Failing, Unspeakable])
def test_a_default_that_cannot_be_shown_is_left_out_of_the_listing(
    config: type[ComponentConfig], beside_built_ins: Callable[[object], Extensions]
) -> None:
    class Odd:
        @hookimpl.criteria
        def criteria(self) -> Iterable[CriterionSpec]:
            yield CriterionSpec(name="odd", summary="Odd", factory=never, config=config)

    [option] = option_facts(beside_built_ins(Odd()).criteria.resolve("odd"))["options"]

    assert (option["name"], option["default"]) == ("depth", None)
    assert option["description"].startswith("An option whose default")
