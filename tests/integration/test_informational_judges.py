"""A judged criterion that can never fail anything stops nothing, whatever its judge lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from adjudge import evaluate_sync
from adjudge.errors import InputError
from adjudge.extension.loader import Extensions, discover
from adjudge.plugin import CriterionSpec, hookimpl
from adjudge.testing import as_candidate

Cli = Callable[..., CompletedProcess[str]]

ROUGE = "response_match_score"


@pytest.fixture(autouse=True)
def no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, and no judge, of whoever runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GOOGLE_API_KEY", "GEMINI_API_KEY", "ADJUDGE_JUDGE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def evaluated(adjudge_here: Cli, tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """Evaluate an agent that always says good day, with these criteria."""
    turn = {
        "user_content": {"parts": [{"text": "Greet."}]},
        "final_response": {"parts": [{"text": "good day"}]},
    }
    cases = [{"eval_id": "one", "conversation": [turn]}]
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "set", "eval_cases": cases}))
    (tmp_path / "greeting_bot.py").write_text("def agent(text):\n    return 'good day'\n")

    def evaluate(criteria: dict[str, Any], *options: str) -> CompletedProcess[str]:
        (tmp_path / "test_config.json").write_text(json.dumps({"criteria": criteria}))
        return adjudge_here(
            *("eval", "greeting_bot:agent", "set.test.json", "--run", "run", "--output", "result.json"),
            *options,
        )

    return evaluate


def reported(folder: Path) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The one case, its criterion that is not measured, and the run's warnings."""
    document = json.loads((folder / "result.json").read_text())
    [case] = document["cases"]
    return case, case["criteria"][1], document["warnings"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "no judge is named"),
        ({"judge_model_options": {"judge_model": "openai/gpt-4o-mini"}}, "OPENAI_API_KEY"),
        ({"judge_model_options": {"judge_model": "nobodys/model"}}, "nobodys/model"),
    ],
    ids=["no judge", "no key", "no such judge"],
)
@pytest.mark.parametrize("criterion", ["safety_v1", "ai_judge"])
def test_what_its_judge_lacks_stops_nothing(
    criterion: str, options: dict[str, Any], reason: str, evaluated: Cli, tmp_path: Path
) -> None:
    words = {"description": "It is polite."} if criterion == "ai_judge" else {}

    done = evaluated({ROUGE: 0.5, criterion: {"threshold": 0.0, **words, **options}})

    assert done.returncode == 0, done.stderr
    case, judged, warnings = reported(tmp_path)
    assert (case["status"], judged["status"], judged["verdict"], judged["score"]) == (
        "PASS",
        "informational",
        None,
        None,
    )
    assert judged["error"]["code"] == "not_measured"
    assert reason in judged["error"]["message"]
    [warning] = [found for found in warnings if "not measured" in found]
    assert warning.startswith(f"test_config.json, $.criteria.{criterion}: ")
    assert reason in warning
    assert " ".join(warning.split()) in " ".join(done.stdout.split())


@pytest.mark.parametrize("threshold", [0.5, 1])
def test_a_criterion_that_decides_still_needs_its_judge(threshold: float, evaluated: Cli) -> None:
    done = evaluated({ROUGE: 0.5, "safety_v1": threshold})

    assert done.returncode == 2
    assert "no judge is named" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"colour": "red"}, "unknown option 'colour'"),
        ({"judge_model_options": {"num_samples": 0}}, "num_samples"),
        ({"judge_model_options": {"judge_model": "openai/"}}, "names no model after 'openai'"),
    ],
)
def test_what_is_wrong_with_its_options_is_an_error(
    options: dict[str, Any], told: str, evaluated: Cli
) -> None:
    done = evaluated({ROUGE: 0.5, "safety_v1": {"threshold": 0.0, **options}})

    assert done.returncode == 2
    assert told in done.stderr


def test_a_judge_that_the_command_line_misspells_is_an_error(evaluated: Cli) -> None:
    done = evaluated({ROUGE: 0.5, "safety_v1": 0.0}, "--judge", "opnai/gpt-4o-mini")

    assert done.returncode == 2
    assert "opnai/gpt-4o-mini" in done.stderr


def test_a_run_in_which_only_it_could_decide_is_not_run(evaluated: Cli) -> None:
    done = evaluated({"safety_v1": 0.0})

    assert done.returncode == 2
    assert "nothing could fail" in done.stderr


def test_a_key_that_is_refused_stops_no_run_that_it_does_not_decide(
    evaluated: Cli, tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, status=401
    )
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-wrong")
    monkeypatch.setenv("NO_PROXY", "*")
    judge = {"judge_model_options": {"judge_model": "openai/gpt-4o-mini"}}

    done = evaluated({ROUGE: 0.5, "safety_v1": {"threshold": 0.0, **judge}})

    assert done.returncode == 0, done.stderr
    case, judged, _ = reported(tmp_path)
    assert (case["status"], judged["status"], judged["error"]["code"]) == (
        "PASS",
        "informational",
        "not_measured",
    )
    assert "Incorrect API key" in judged["error"]["message"]
    assert judged["error"]["retryable"]


class Needy:
    """A plugin whose criterion needs a module that nobody has."""

    @hookimpl.criteria
    def criteria(self) -> list[CriterionSpec]:
        def make(*_: object) -> Any:
            raise ModuleNotFoundError("a_module_nobody_has")

        return [CriterionSpec(name="needy", summary="Needs", factory=make, requires=("a_module_nobody_has",))]


def test_a_module_that_is_missing_stops_no_run_that_it_does_not_decide(tmp_path: Path) -> None:
    turn = {"user_content": {"parts": [{"text": "Hi"}]}, "final_response": {"parts": [{"text": "Hello"}]}}
    path = tmp_path / "set.test.json"
    path.write_text(
        json.dumps({"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [turn]}]})
    )
    extensions = Extensions([*discover(), as_candidate("needy", Needy())])

    def evaluate(threshold: float, name: str = "needy", **options: Any) -> Any:
        criteria = {ROUGE: 0.5, name: {"threshold": threshold, **options}}
        return evaluate_sync(lambda _: "Hello", path, config={"criteria": criteria}, extensions=extensions)

    for name, options in (("needy", {}), ("safety_v1", {"delegate": "needy"})):
        result = evaluate(0.0, name, **options)

        [case] = result.cases()
        assert (case.status, case.criteria[1].status) == ("PASS", "informational")
        assert "needs the module 'a_module_nobody_has'" in case.criteria[1].error.message
        assert any(
            f"$.criteria.{name}" in warning and "not measured" in warning for warning in result.warnings
        )
        with pytest.raises(InputError, match="needs the module 'a_module_nobody_has'"):
            evaluate(0.5, name, **options)


def test_a_judge_that_nothing_asks_is_told(evaluated: Cli) -> None:
    run = evaluated({ROUGE: 0.5}, "--judge", "opnai/gpt")

    assert run.returncode == 0
    assert "warning: nothing in this run asks a judge: opnai/gpt is not used\n" in run.stdout
