"""What a configuration says wrong stops the run: nothing passes because something was not measured."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from adjudge import evaluate_sync
from adjudge.cli import cli
from adjudge.cli.exits import run_cli
from adjudge.errors import InputError
from adjudge.extension.loader import Extensions, discover
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
from adjudge.testing import as_candidate

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

    def run(criteria: dict[str, Any] | None, *cases: dict[str, Any], **options: Any) -> Any:
        path = tmp_path / "some.test.json"
        eval_cases = list(cases) or [a_case("greeting")]
        path.write_text(json.dumps({"eval_set_id": "some", "eval_cases": eval_cases}))
        config = None if criteria is None else {"criteria": criteria}
        return evaluate_sync(lambda _: "Good morning", path, config=config, **options)

    return run


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in ``tmp_path``; gives the exit status, and what it printed on both streams."""

    def run(*args: str) -> tuple[object, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr("sys.argv", ["adjudge", *args])
        with pytest.raises(SystemExit) as ended:
            run_cli(cli)
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


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ({"parallelism_limit": 10**9}, "parallelism_limit: Input should be less than or equal to 1000"),
        ({"num_samples": 10**9}, "num_samples: Input should be less than or equal to 100"),
        ({"unsure_below": float("nan")}, "unsure_below: Input should be"),
        ({"judge_model_config": {"temperature": float("inf")}}, "temperature must be a finite number"),
        ({"judge_model_config": {"max_output_tokens": 10**30}}, "max_output_tokens must be a whole number"),
    ],
)
def test_numbers_of_a_judge_have_bounds(
    run: Run, judge: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    options = {"threshold": 1, "judge_model_options": {"judge_model": "openai/small", **judge}}

    with pytest.raises(InputError) as caught:
        run({"final_response_match_v2": options})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "numbers", [{"num_runs": 10**9}, {"timeout": float("nan")}, {"max_cost": float("nan")}]
)
def test_numbers_of_a_run_have_bounds(run: Run, numbers: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"must be (at most|more than)"):
        run({ROUGE: 0.8}, **numbers)


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


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ("{criterion: step_count, maximum: .inf}", "c.yaml:1:36: .inf is no finite number"),
        ("{criterion: step_count, maximum: 1e400}", "c.yaml:1:36: 1e400 is no finite number"),
        ("{criterion: step_count, maxmum: 3}", "unknown option 'maxmum'. Did you mean 'maximum'?"),
    ],
)
def test_a_limit_without_an_end_stops_the_judging_of_logs(
    tmp_path: Path, told: Run, criterion: str, message: str
) -> None:
    (tmp_path / "c.yaml").write_text(f"- {criterion}\n")
    (tmp_path / "log.json").write_text(json.dumps([{"role": "user", "content": "hi"}]))

    status, _, err = told("judge", "log.json", "--criteria", "c.yaml")
    assert status == 2
    assert message in err


def test_what_lies_in_hidden_folders_and_environments_is_not_evaluated(tmp_path: Path, told: Run) -> None:
    cases = json.dumps({"eval_set_id": "some", "eval_cases": [a_case("greeting")]})
    log = json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Good morning"}])
    for folder in ("evals/own", ".venv/lib/package", "env/lib/package", ".cache"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "some.test.json").write_text(cases)
        (tmp_path / folder / "log.chat.json").write_text(log)
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (tmp_path / "agent_of_folders.py").write_text("def agent(text):\n    return 'Good morning'\n")
    (tmp_path / "config.json").write_text(json.dumps({"criteria": {ROUGE: 0.8}}))
    (tmp_path / "c.yaml").write_text("- {criterion: step_count, maximum: 9}\n")

    status, out, _ = told("eval", "agent_of_folders:agent", ".", "--config_file_path", "config.json")
    assert status == 0
    assert "1 case" in out
    assert "evals/own/some.test.json" in out

    (tmp_path / "evals" / "own" / "some.test.json").rename(tmp_path / "some.json")
    status, _, err = told("eval", "agent_of_folders:agent", ".")
    assert status == 2
    assert "no file below this folder is named *.test.json" in err

    status, out, _ = told("judge", ".", "--criteria", "c.yaml", "--reader", "openai_messages")
    assert "evals/own/log.chat.json" in out
    assert ".venv" not in out
    assert "env/lib" not in out


@pytest.mark.parametrize(
    "command",
    [
        ("eval", "agent_of_locks:agent", ".", "--config_file_path", "config.json"),
        ("judge", ".", "--criteria", "c.yaml", "--reader", "openai_messages"),
    ],
)
def test_a_folder_that_cannot_be_read_is_not_left_out(
    tmp_path: Path, told: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    cases = json.dumps({"eval_set_id": "some", "eval_cases": [a_case("greeting")]})
    log = json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Good morning"}])
    locked = tmp_path / "locked"
    for folder in (tmp_path, locked):
        folder.mkdir(exist_ok=True)
        (folder / "some.test.json").write_text(cases)
        (folder / "log.chat.json").write_text(log)
    (tmp_path / "agent_of_locks.py").write_text("def agent(text):\n    return 'Good morning'\n")
    (tmp_path / "config.json").write_text(json.dumps({"criteria": {ROUGE: 0.8}}))
    (tmp_path / "c.yaml").write_text("- {criterion: step_count, maximum: 9}\n")
    read = os.scandir

    def refusing(path: Any = ".") -> Any:  # to root, who runs some machines' tests, every folder is readable
        if Path(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(os, "scandir", refusing)
    status, _, err = told(*command)
    assert status == 2
    assert f"error: {locked}: the folder cannot be read: Permission denied" in err


def test_a_configuration_that_is_a_link_to_nowhere_is_missing_and_not_none(tmp_path: Path, run: Run) -> None:
    (tmp_path / "test_config.json").symlink_to(tmp_path / "gone.json")
    with pytest.raises(InputError, match=r"test_config\.json"):
        run(None)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "pyproject.toml",
            "[tool]\nadjudge = 3\n",
            "pyproject.toml, $.tool.adjudge: must be a table, found 3",
        ),
        ("pyproject.toml", "[tool.adjudge]\njudge = 3\n", "pyproject.toml, $.tool.adjudge.judge: "),
        ("adjudge.toml", "judge = 3\n", "adjudge.toml, $.judge: "),
        ("adjudge.toml", "[judge]\ntimeout = inf\n", "adjudge.toml, $.judge.timeout: "),
        ("adjudge.toml", "[judge]\ntimeout = nan\n", "adjudge.toml, $.judge.timeout: "),
        ("adjudge.toml", "[judge]\ntimeout = 1e9\n", "adjudge.toml, $.judge.timeout: "),
    ],
)
def test_a_project_file_of_another_form_is_a_message(
    tmp_path: Path, told: Run, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)

    status, _, err = told("plugins")
    assert status == 2
    assert message in err


def test_the_default_criteria_and_the_console_are_adjudges_own_whatever_else_is_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from adjudge.cli.run_command import show_report

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
    with result.report() as report:
        show_report(report, extensions)
    assert "greeting" in capsys.readouterr().out
    [case] = result.cases()
    assert [item.criterion for item in case.criteria] == [
        f"tool-trajectory/{CALLS}",
        f"response-match/{ROUGE}",
    ]

    with pytest.raises(InputError, match="is the name of 2 components"):
        evaluate_sync(lambda _: "Rain", path, config={"criteria": {ROUGE: 0.8}}, extensions=extensions)
