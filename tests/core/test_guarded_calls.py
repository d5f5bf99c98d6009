"""Whatever a plugin raises is an error that names the plugin: a run goes on, and its status is its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from adjudge import RunResult, evaluate_sync
from adjudge.errors import InputError
from adjudge.extension.loader import Extensions
from adjudge.model import CriterionResult
from adjudge.plugin import (
    CaseFinished,
    CaseUnderTest,
    CriterionScored,
    CriterionSpec,
    Measurement,
    Outcome,
    hookimpl,
)


class Stop(BaseException):
    """Not an ``Exception``."""


class UnspeakableError(Exception):
    """Its text cannot be had."""

    def __str__(self) -> str:
        raise SystemExit(0)


class _NamelessClass(type):
    @property
    def __name__(cls) -> str:
        raise SystemExit(0)


class NamelessError(Exception, metaclass=_NamelessClass):
    """Not even its class can be named."""


RAISED: tuple[Callable[[], BaseException], ...] = (
    lambda: SystemExit(0),
    asyncio.CancelledError,
    lambda: Stop("get out"),
    lambda: GeneratorExit("gone"),
    lambda: ValueError("boom"),
    StopIteration,
    UnspeakableError,
)
CASES = {
    "eval_set_id": "set",
    "eval_cases": [
        {
            "eval_id": f"case-{number}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "hi"}]},
                    "final_response": {"parts": [{"text": "hello"}]},
                }
            ],
        }
        for number in range(3)
    ],
}


class Plugin:
    """A plugin of somebody else's, with one criterion that does what it is told."""

    def __init__(self, score: Callable[[CaseUnderTest], Any] | None = None) -> None:
        self._score = score

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Measure."""
        if self._score is not None:
            self._score(case)
        return Measurement(overall=Outcome.scored(1.0))

    @hookimpl.criteria
    def criteria(self) -> Iterable[CriterionSpec]:
        yield CriterionSpec(name="odd", summary="Does what it is told", factory=lambda _config, _host: self)


Run = Callable[..., RunResult]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_built_ins: Callable[..., Extensions]) -> Run:
    """Evaluate an agent that says hello, by a plugin's criterion and a built-in one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.test.json").write_text(json.dumps(CASES), encoding="utf-8")

    def evaluate(plugin: object, criteria: dict[str, Any] | None = None, **options: Any) -> RunResult:
        config = {"criteria": criteria or {"odd": 1.0, "response_match_score": 0.8}}
        return evaluate_sync(
            lambda _text: "hello",
            "set.test.json",
            config=config,
            extensions=beside_built_ins(plugin),
            **options,
        )

    return evaluate


def by_name(result: RunResult, name: str) -> list[CriterionResult]:
    return [item for case in result.cases() for item in case.criteria if item.criterion_name == name]


@pytest.mark.parametrize("raised", RAISED, ids=lambda make: repr(make()))
def test_what_a_criterion_raises_is_an_error_of_it_on_that_case(
    raised: Callable[[], BaseException], run: Run
) -> None:
    def score(case: CaseUnderTest) -> None:
        if case.case.eval_id == "case-1":
            raise raised()

    result = run(Plugin(score))

    assert (result.status, result.summary.cases, result.summary.exit_status) == ("error", 3, 3)
    odd = by_name(result, "odd")
    assert [item.status for item in odd] == ["PASS", "error", "PASS"]
    assert odd[1].error is not None
    assert odd[1].error.message.startswith("plugin acme (acme-metrics 0) raised in score: ")
    assert type(raised()).__name__ in odd[1].error.message
    assert [item.status for item in by_name(result, "response_match_score")] == ["PASS"] * 3


def test_an_exception_whose_class_has_no_name_is_an_error_of_the_criterion(run: Run) -> None:
    def score(_: CaseUnderTest) -> None:
        raise NamelessError("here")

    result = run(Plugin(score))

    assert (result.status, result.summary.cases) == ("error", 3)
    assert all(
        item.error and item.error.message.startswith("plugin acme (acme-metrics 0) raised in score: ")
        for item in by_name(result, "odd")
    )


def test_of_an_endless_message_the_beginning_is_kept(run: Run) -> None:
    def score(_: CaseUnderTest) -> None:
        raise ValueError("the beginning" + "x" * 1_000_000)

    result = run(Plugin(score))

    for item in by_name(result, "odd"):
        assert item.error
        assert "ValueError: the beginningxxx" in item.error.message
        assert "(1,000,013 characters)" in item.error.message
        assert len(item.error.message) < 20_000
    assert result.journal.stat().st_size < 500_000


def test_a_component_that_cannot_say_what_it_supports_stops_the_plan(run: Run) -> None:
    class Proxy:
        def __getattr__(self, name: str) -> object:
            raise KeyError(name)

        async def score(self, case: CaseUnderTest) -> Measurement:
            return Measurement(overall=Outcome.scored(1.0))

    class Careless(Plugin):
        @hookimpl.criteria
        def criteria(self) -> Iterable[CriterionSpec]:
            yield CriterionSpec(
                name="odd", summary="Lacks attributes", factory=lambda _config, _host: Proxy()
            )

    with pytest.raises(InputError, match=r"plugin acme \(acme-metrics 0\) raised in .*'odd': KeyError: "):
        run(Careless())


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("place", ["hook", "factory", "observer"])
def test_a_process_that_a_plugin_forks_does_not_go_on_with_the_run(
    place: str, run: Run, tmp_path: Path
) -> None:
    ours = os.getpid()

    children: list[int] = []

    def fork(here: str) -> None:
        if place == here and (child := os.fork()):
            children.append(child)
        # The child goes on, as after careless code, in place of os._exit.

    class Forking(Plugin):
        @hookimpl.criteria
        def criteria(self) -> Iterable[CriterionSpec]:
            fork("hook")

            def factory(_config: object, _host: object) -> Plugin:
                fork("factory")
                return self

            yield CriterionSpec(name="odd", summary="Forks", factory=factory)

        @hookimpl.case_finished
        def look(self, event: CaseFinished) -> None:
            fork("observer")

    try:
        result = run(Forking())
    finally:
        if os.getpid() != ours:
            (tmp_path / "went on").touch()
            os._exit(0)

    for child in children:
        os.waitpid(child, 0)
    assert children
    assert result.passed
    assert not (tmp_path / "went on").exists()


def test_a_criterion_that_cancels_the_task_that_it_runs_in_is_an_error(run: Run) -> None:
    def score(_: CaseUnderTest) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    class Patient(Plugin):
        async def score(self, case: CaseUnderTest) -> Measurement:
            measured = await super().score(case)
            await asyncio.sleep(0)
            return measured

    result = run(Patient(score))

    assert (result.summary.cases, result.status) == (3, "error")
    assert all(item.error and "CancelledError" in item.error.message for item in by_name(result, "odd"))


@pytest.mark.parametrize("raised", RAISED, ids=lambda make: repr(make()))
def test_what_an_observer_raises_is_a_warning(raised: Callable[[], BaseException], run: Run) -> None:
    class Watching(Plugin):
        @hookimpl.criterion_scored
        def look(self, event: CriterionScored) -> None:
            raise raised()

    result = run(Watching())

    assert result.passed
    [warning] = [item for item in result.warnings if "criterion_scored" in item]
    assert warning.startswith(
        f"plugin acme (acme-metrics 0) raised in criterion_scored: {type(raised()).__name__}"
    )


@pytest.mark.parametrize("raised", RAISED, ids=lambda make: repr(make()))
def test_what_a_factory_raises_stops_the_plan_and_names_the_plugin(
    raised: Callable[[], BaseException], run: Run
) -> None:
    class Broken(Plugin):
        @hookimpl.criteria
        def criteria(self) -> Iterable[CriterionSpec]:
            def factory(_config: object, _host: object) -> Plugin:
                raise raised()

            yield CriterionSpec(name="odd", summary="Cannot be made", factory=factory)

    with pytest.raises(InputError, match="plugin acme \\(acme-metrics 0\\) raised in the factory of 'odd': "):
        run(Broken())


def test_a_factory_that_returns_none_stops_the_plan(run: Run) -> None:
    class Empty(Plugin):
        @hookimpl.criteria
        def criteria(self) -> Iterable[CriterionSpec]:
            def factory(_config: object, _host: object) -> Any:
                return None

            yield CriterionSpec(name="odd", summary="Makes nothing", factory=factory)

    with pytest.raises(InputError, match="the factory of 'odd' returned None \\(plugin acme"):
        run(Empty())
