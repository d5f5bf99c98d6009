"""What of the working folder is run: the agent that is named, and no file that came along."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import adjudge as package
from adjudge.testing import fake_distribution

Cli = Callable[..., CompletedProcess[str]]

AGENT = """
import neighbour

def agent(text):
    return neighbour.ANSWER
"""

METRIC = """
from pathlib import Path
from types import SimpleNamespace

(Path(__file__).parent / "was-run").touch()

def perfect(eval_metric, actual_invocations, expected_invocations, conversation_scenario):
    results = [SimpleNamespace(score=1.0) for _ in actual_invocations]
    return SimpleNamespace(overall_score=1.0, per_invocation_results=results)
"""

EVAL_SET = {
    "eval_set_id": "greeting",
    "eval_cases": [
        {
            "eval_id": "hi",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "hi"}]},
                    "final_response": {"parts": [{"text": "Good morning to you"}]},
                }
            ],
        }
    ],
}

CUSTOM_METRIC = {
    "criteria": {"kind": 0.5},
    "custom_metrics": {"kind": {"code_config": {"name": "stranger.metrics.perfect"}}},
}
PLAIN_CUSTOM_METRIC = {
    "criteria": {
        "kind": {"criterion": "custom_metric", "threshold": 0.5, "function": "stranger.metrics.perfect"}
    }
}


def write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An agent with its module, and eval sets of somebody else with code of theirs."""
    folder = tmp_path / "work"
    stranger = folder / "stranger"
    stranger.mkdir(parents=True)
    (folder / "greeter.py").write_text(AGENT)
    (folder / "neighbour.py").write_text("ANSWER = 'Good morning to you'\n")
    (stranger / "metrics.py").write_text(METRIC)
    write(stranger / "hi.test.json", EVAL_SET)
    write(stranger / "test_config.json", CUSTOM_METRIC)
    return folder


def was_run(folder: Path) -> bool:
    return (folder / "stranger" / "was-run").exists()


@pytest.fixture
def evaluated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., package.RunResult]]:
    """Evaluate the agent in its folder; nothing that was imported stays behind."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield partial(package.evaluate_sync, "greeter:agent")
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in {"greeter", "neighbour", "stranger"}:
            del sys.modules[name]


@pytest.mark.parametrize("config", [CUSTOM_METRIC, PLAIN_CUSTOM_METRIC], ids=["adk", "plain"])
def test_code_that_a_found_configuration_names_is_not_run(
    config: dict[str, Any], folder: Path, evaluated: Callable[..., package.RunResult]
) -> None:
    write(folder / "stranger" / "test_config.json", config)
    (folder / ".env").write_text("ADJUDGE_TRUST_CODE=1\n")  # a file that came along trusts nobody

    with pytest.raises(package.InputError) as refused:
        evaluated("stranger/hi.test.json")

    [problem] = refused.value.problems
    assert (problem.file, problem.path) == ("stranger/test_config.json", "$.criteria.kind")
    assert "'stranger.metrics'" in problem.what
    assert problem.hint is not None
    for way in ("--config_file_path stranger/test_config.json", "--trust-code", "trust_code=True"):
        assert way in problem.hint
    assert not was_run(folder)


def test_it_is_run_where_the_user_names_the_file(
    folder: Path, evaluated: Callable[..., package.RunResult]
) -> None:
    assert evaluated("stranger/hi.test.json", config="stranger/test_config.json").passed
    assert was_run(folder)


def test_content_that_was_found_is_no_more_trusted_than_its_file(
    folder: Path, evaluated: Callable[..., package.RunResult]
) -> None:
    with pytest.raises(package.InputError, match=r"'stranger\.metrics'"):
        evaluated("stranger/hi.test.json", config=CUSTOM_METRIC, trust_code=False)
    assert not was_run(folder)
    assert evaluated("stranger/hi.test.json", config=CUSTOM_METRIC).passed
    assert was_run(folder)


def test_it_is_run_where_the_user_says_so_from_python(
    folder: Path, evaluated: Callable[..., package.RunResult]
) -> None:
    assert evaluated("stranger/hi.test.json", trust_code=True).passed
    assert was_run(folder)


def test_it_is_run_where_the_environment_says_so(
    folder: Path, evaluated: Callable[..., package.RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_TRUST_CODE", "1")
    assert evaluated("stranger/hi.test.json").passed
    assert was_run(folder)


def test_it_is_run_where_the_command_line_says_so(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "greeter:agent", "stranger/hi.test.json", "--trust-code", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert was_run(folder)


def test_a_configuration_beside_the_agent_is_trusted_as_the_agent_is(
    folder: Path, evaluated: Callable[..., package.RunResult]
) -> None:
    write(folder / "hi.test.json", EVAL_SET)
    write(folder / "test_config.json", CUSTOM_METRIC)

    assert evaluated("hi.test.json").passed
    assert was_run(folder)


def test_an_agent_without_a_folder_trusts_no_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    write(folder / "hi.test.json", EVAL_SET)
    write(folder / "test_config.json", CUSTOM_METRIC)

    with pytest.raises(package.InputError, match="trust-code"):
        package.evaluate_sync("recorded:hi.test.json", "hi.test.json")
    assert not was_run(folder)


def test_the_agent_of_another_folder_does_not_stand_in_for_the_one_that_is_named(
    folder: Path, evaluated: Callable[..., package.RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "greeter.py").write_text("def agent(text):\n    return 'Go away'\n")
    config = {"criteria": {"response_match_score": 0.8}}
    write(folder / "hi.test.json", EVAL_SET)
    write(other / "hi.test.json", EVAL_SET)
    assert evaluated("hi.test.json", config=config).passed
    monkeypatch.chdir(other)
    with pytest.raises(package.InputError) as refused:
        evaluated("hi.test.json", config=config)
    for place in (folder / "greeter.py", other / "greeter.py"):
        assert str(place) in str(refused.value)
    monkeypatch.chdir(folder)
    assert evaluated("hi.test.json", config=config).passed


FORGED_ROUGE = """
from types import SimpleNamespace
score = SimpleNamespace(precision=1.0, recall=1.0, fmeasure=1.0)

class Scorer:
    def __init__(self, *args, **kwargs): pass
    def score(self, *args): return {"rouge1": score, "rougeL": score}

class RougeScorer(Scorer): pass
"""


@pytest.mark.parametrize("form", ["module", "script"])
def test_a_module_of_the_working_folder_replaces_no_library(form: str, folder: Path, adjudge: Cli) -> None:
    (folder / "neighbour.py").write_text("ANSWER = 'something else altogether'\n")
    write(folder / "hi.test.json", EVAL_SET)
    write(folder / "test_config.json", {"criteria": {"response_match_score": 0.8}})
    forged = folder / "rouge_score"
    forged.mkdir()
    (forged / "__init__.py").write_text(
        "from rouge_score import rouge_scorer, scoring, tokenizers, tokenize\n"
    )
    for name in ("rouge_scorer", "scoring", "tokenizers", "tokenize"):
        (forged / f"{name}.py").write_text(FORGED_ROUGE)

    arguments = ("eval", "greeter:agent", "hi.test.json")
    if form == "module":
        done = adjudge(*arguments, cwd=folder)
    else:
        import subprocess

        script = shutil.which("adjudge", path=str(Path(sys.executable).parent))
        assert script is not None
        done = subprocess.run(
            [script, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )

    assert done.returncode == 1, f"{done.stdout}{done.stderr}"
    assert "0.00" in done.stdout


def test_no_module_of_the_working_folder_is_run_at_the_start(folder: Path, adjudge: Cli) -> None:
    for name in ("click", "pluggy", "rich", "statistics", "adjudge_plugins"):
        (folder / f"{name}.py").write_text("raise SystemExit(0)\n")

    done = adjudge("eval", "greeter:agent", "nowhere.test.json", cwd=folder)

    assert done.returncode == 2, f"{done.stdout}{done.stderr}"
    assert "nowhere.test.json" in done.stderr


def test_a_plugin_of_the_working_folder_is_not_loaded(folder: Path, adjudge: Cli) -> None:
    source = "from pathlib import Path\nPath('was-loaded').touch()\n"
    fake_distribution(
        folder, "stray", entry_points={"stray": "stray_plugin"}, modules={"stray_plugin": source}
    )

    done = adjudge("plugins", cwd=folder)

    assert done.returncode == 0, done.stderr
    assert "stray" not in done.stdout
    assert not (folder / "was-loaded").exists()
    # Who names the folder wants what is in it.
    done = adjudge("plugins", cwd=folder, PYTHONPATH=str(folder))
    assert "stray" in done.stdout


def test_a_folder_that_an_agent_was_imported_from_brings_no_plugin_into_the_next_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (folder / "greeter_twice.py").write_text("def agent(text): return 'Good morning to you'\n")
    write(folder / "hi.test.json", EVAL_SET)
    write(folder / "test_config.json", {"criteria": {"response_match_score": 0.8}})
    source = "from pathlib import Path\nPath('was-loaded').touch()\n"
    fake_distribution(
        folder, "stray-twice", entry_points={"stray": "stray_twice"}, modules={"stray_twice": source}
    )

    for _ in range(2):
        assert package.evaluate_sync("greeter_twice:agent", "hi.test.json").passed

    assert not (folder / "was-loaded").exists()


def test_the_agent_that_is_named_comes_from_the_working_folder_first(folder: Path, adjudge: Cli) -> None:
    """An installed module of its name is not asked, as with every tool that imports by name."""
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "greeter.py").write_text("def agent(text): return 'wrong'\n")
    write(folder / "hi.test.json", EVAL_SET)
    write(folder / "test_config.json", {"criteria": {"response_match_score": 0.8}})

    done = adjudge("eval", "greeter:agent", "hi.test.json", cwd=folder, PYTHONPATH=str(elsewhere))

    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
