"""What a configuration says wrong stops the run: nothing passes because something was not measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from adjudge import evaluate_sync
from adjudge.cli import main
from adjudge.errors import InputError
from adjudge.extension.discovery import as_candidate, discover
from adjudge.extension.loader import Extensions
from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Outcome,
    ReporterSpec,
    hookimpl,
)

Run = Callable[..., Any]

ROUGE = "response_match_score"
CALLS = "tool_trajectory_avg_score"


def a_case(eval_id: str, reference: str | None = "Good morning") -> dict[str, Any]:
    turn: dict[str, Any] = {"user_content": {"parts": [{"text": "Greet."}]}}
    if reference is not None:
        turn["final_response"] = {"parts": [{"text": reference}]}
    return {"eval_id": eval_id, "conversation": [turn]}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Evaluate an agent that always says good morning."""

    def run(criteria: dict[str, Any], *cases: dict[str, Any], **options: Any) -> Any:
        path = tmp_path / "some.test.json"
        eval_cases = list(cases) or [a_case("greeting")]
        path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": eval_cases}))
        return evaluate_sync(lambda _: "Good morning", path, config={"criteria": criteria}, **options)

    return run


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in ``tmp_path``; gives the exit status, and what it printed on both streams."""

    def run(*args: str) -> tuple[object, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr("sys.argv", ["adjudge", *args])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


class Spelling(BaseModel):
    """A class of a plugin that is no ``ComponentConfig``: pydantic drops what it does not know."""

    strict: bool = False


class PoliteConfig(ComponentConfig):
    """Options of a stranger's criterion."""

    model_config = {"extra": "allow"}

    spelling: Spelling = Spelling()
    languages: dict[str, Spelling] = {}
    further: tuple[Spelling, ...] | None = None
    weight: float = 1.0


class Polite:
    """A stranger's plugin."""

    @hookimpl.criteria
    def criteria(self) -> list[CriterionSpec]:
        return [
            CriterionSpec(
                name="polite",
                summary="Politeness",
                factory=_perfect,
                config=PoliteConfig,
                default_threshold=0.5,
            )
        ]


class AlwaysPerfect:
    async def score(self, case: CaseUnderTest) -> Measurement:
        return Measurement(per_invocation=tuple(Outcome.scored(1.0) for _ in case.actual.invocations))


def _perfect(_config: Any, _host: Host) -> Criterion:
    return AlwaysPerfect()


def with_strangers(*plugins: object) -> Extensions:
    """What is installed, and these plugins of distributions of their own."""
    named = [as_candidate(f"stranger-{number}", plugin) for number, plugin in enumerate(plugins)]
    return Extensions([*discover(), *named])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (ROUGE, {"treshold": 0.95}, "unknown option 'treshold'. Did you mean 'threshold'?"),
        (ROUGE, {"Threshold": 0.95}, "unknown option 'Threshold'. Did you mean 'threshold'?"),
        (ROUGE, {"min_score": 0.95}, "unknown option 'min_score'."),
        (CALLS, {"threshold": 1, "team": "dice"}, "unknown option 'team'."),
        ("safety_v1", {"treshold": 0.95}, "unknown option 'treshold'. Did you mean 'threshold'?"),
        (
            "final_response_match_v2",
            {"threshold": 1, "judge_model_options": {"num_sample": 3}},
            "unknown option 'num_sample'. Did you mean 'num_samples'?",
        ),
        ("step_count", {"maxmum": 3}, "unknown option 'maxmum'. Did you mean 'maximum'?"),
        ("polite", {"tone": "warm"}, "unknown option 'tone'."),
        ("polite", {"spelling": {"stric": True}}, "$.criteria.polite.spelling: unknown option 'stric'."),
        ("polite", {"languages": {"de": {"stric": 1}}}, "$.criteria.polite.languages.de: unknown option"),
        ("polite", {"further": [{}, {"stric": 1}]}, "$.criteria.polite.further[1]: unknown option"),
        ("polite", {"weight": float("inf")}, "$.criteria.polite.weight: Input should be a finite number"),
    ],
)
def test_an_unknown_option_of_any_criterion_stops_the_run(
    run: Run, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        run({ROUGE: 0.8, name: options}, extensions=with_strangers(Polite()))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["safety_v1", "trajectory_f1", "own"])
def test_an_object_without_a_threshold_stops_the_run_where_there_is_no_default(run: Run, name: str) -> None:
    with pytest.raises(InputError, match=r"has no 'threshold', and .* has no default one"):
        run({ROUGE: 0.8, name: {"criterion": "safety_v1"} if name == "own" else {}})


def test_a_metric_function_is_handed_its_own_options_and_still_needs_a_threshold(
    tmp_path: Path, told: Run
) -> None:
    (tmp_path / "lengths_of_answers.py").write_text(
        "def score(metric, actual, expected, scenario):\n    raise AssertionError\n"
    )
    (tmp_path / "agent_of_lengths.py").write_text("def agent(text):\n    raise AssertionError\n")
    cases = {"eval_set_id": "some", "eval_cases": [a_case("greeting")]}
    (tmp_path / "some.test.json").write_text(json.dumps(cases))
    config = {
        "criteria": {"length": {"treshold": 3, "unit": "words"}},
        "custom_metrics": {"length": {"code_config": {"name": "lengths_of_answers.score"}}},
    }
    (tmp_path / "test_config.json").write_text(json.dumps(config))

    status, _, err = told("eval", "agent_of_lengths:agent", "some.test.json")
    assert status == 2
    assert "has no default one. Did you mean 'threshold'?" in err


def test_a_threshold_that_every_score_reaches_decides_nothing(run: Run) -> None:
    result = run({ROUGE: 0.8, CALLS: 0.0, "done_without_action": {"maximum": 1}})

    [case] = result.cases()
    assert {item.criterion_name: item.status for item in case.criteria} == {
        ROUGE: "PASS",
        CALLS: "informational",
        "done_without_action": "informational",
    }
    assert any(CALLS in warning and "worst score" in warning for warning in result.warnings)


def test_a_criterion_that_decides_nothing_needs_no_reference(run: Run) -> None:
    result = run({CALLS: 1.0, ROUGE: 0.0}, a_case("greeting", reference=None))

    [case] = result.cases()
    assert result.passed
    assert {item.criterion_name: item.status for item in case.criteria} == {
        CALLS: "PASS",
        ROUGE: "not_applicable",
    }


def test_a_criterion_that_decides_needs_a_case_that_it_applies_to(run: Run) -> None:
    with pytest.raises(InputError, match="'response_match_score' applies to none of the selected cases"):
        run({CALLS: 1.0, ROUGE: 0.1}, a_case("greeting", reference=None))


@pytest.mark.parametrize("criteria", [{ROUGE: 0.0, CALLS: 0}, {ROUGE: {"threshold": 0}}, {"step_count": {}}])
def test_where_no_criterion_can_fail_nothing_is_run(run: Run, criteria: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="nothing could fail"):
        run(criteria)


def test_warnings_name_their_file_and_are_told_when_the_plan_stops(tmp_path: Path, told: Run) -> None:
    cases = {"eval_set_id": "some", "eval_cases": [a_case("greeting")], "owner": "team"}
    (tmp_path / "some.test.json").write_text(json.dumps(cases))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {ROUGE: 0.8}, "colour": "red"}))
    (tmp_path / "agent_of_warnings.py").write_text("def agent(text):\n    return 'Good morning'\n")

    status, out, _ = told("eval", "agent_of_warnings:agent", "some.test.json")
    assert status == 0
    assert "test_config.json, $: unknown key 'colour' in EvalConfig is kept" in out

    status, _, err = told("eval", "agent_of_warnings:nobody", "some.test.json")
    assert status == 2
    assert "warning: some.test.json, $: unknown key 'owner' in EvalSet is kept" in err
    assert "warning: test_config.json, $: unknown key 'colour' in EvalConfig is kept" in err


def test_the_default_criteria_and_the_console_are_adjudges_own_whatever_else_is_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from adjudge.cli.eval import show_result

    class Namesakes:
        @hookimpl.criteria
        def criteria(self) -> list[CriterionSpec]:
            return [
                CriterionSpec(name=name, summary="Always 1.0", factory=_perfect, default_threshold=1.0)
                for name in (CALLS, ROUGE)
            ]

        @hookimpl.reporters
        def reporters(self) -> list[ReporterSpec]:
            def make(_config: Any, _host: Host) -> Any:
                raise AssertionError("a stranger's console is made")

            return [ReporterSpec(name="console", summary="A stranger's", factory=make)]

    extensions = with_strangers(Namesakes())
    path = tmp_path / "some.test.json"
    path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": [a_case("greeting")]}))

    result = evaluate_sync(lambda _: "Rain", path, extensions=extensions)
    assert show_result(result, extensions, detailed=False) == 1
    assert "greeting" in capsys.readouterr().out
    [case] = result.cases()
    assert [item.criterion for item in case.criteria] == [
        f"tool-trajectory/{CALLS}",
        f"response-match/{ROUGE}",
    ]

    with pytest.raises(InputError, match="is the name of 2 components"):
        evaluate_sync(lambda _: "Rain", path, config={"criteria": {ROUGE: 0.8}}, extensions=extensions)
