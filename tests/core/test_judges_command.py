"""``adjudge judges``: who can judge, what is missing, and whether a model answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from werkzeug import Response

from adjudge.cli import cli
from adjudge.errors import AdjudgeError
from adjudge.testing import fake_distribution

Run = Callable[..., Result]

VARIABLES = (
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*args: object) -> Result:
        return CliRunner().invoke(cli, [str(arg) for arg in args], standalone_mode=False)

    return run


def blocks(output: str) -> dict[str, dict[str, list[str]]]:
    """The listing: backend to field to its lines."""
    found: dict[str, dict[str, list[str]]] = {}
    fields: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in output.splitlines():
        if not line.startswith(" "):
            fields = found[line.partition(":")[0]] = {}
        elif line.startswith("   "):
            lines.append(line.strip())
        else:
            name, _, value = line.strip().partition("  ")
            lines = fields[name] = [value.strip()]
    return found


# --- listing ------------------------------------------------------------------------------


def test_the_listing_says_what_each_backend_is_and_lacks(run: Run) -> None:
    listed = blocks(run("judges").stdout)

    assert {"anthropic", "azure-openai", "gemini", "ollama", "openai", "replay"} <= set(listed)
    assert listed["anthropic"]["names alone"] == ["claude-*"]
    assert listed["anthropic"]["environment"] == ["ANTHROPIC_API_KEY ANTHROPIC_BASE_URL"]
    assert listed["anthropic"]["missing"] == ["ANTHROPIC_API_KEY is not set"]
    assert listed["openai"]["for instance"][0].startswith("openai/")
    assert listed["replay"]["missing"] == ["nothing"]


def test_a_key_makes_a_backend_ready_and_is_not_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    done = run("judges")

    assert blocks(done.stdout)["anthropic"]["missing"] == ["nothing"]
    assert "sk-ant-secret" not in done.output + run("judges", "--json").output


def test_the_env_file_of_the_folder_counts(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-ant-secret\n", encoding="utf-8")

    assert blocks(run("judges").stdout)["anthropic"]["missing"] == ["nothing"]


def test_a_listing_never_fails(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_bytes(b"KEY=\xff\n")
    fake_distribution(
        tmp_path / "installed",
        "adjudge-odd",
        "1.0",
        entry_points={"odd": "odd_judges"},
        modules={"odd_judges": ODD},
    )
    monkeypatch.syspath_prepend(tmp_path / "installed")
    done = run("judges")
    listed = blocks(done.stdout)

    assert done.exception is None
    [raised] = listed["raising"]["missing"]
    assert raised.startswith(
        "cannot be used: plugin odd (adjudge-odd 1.0) raised in the factory of 'raising'"
    )
    assert raised.endswith("no luck today")
    assert listed["heavy"]["missing"] == ["needs the module 'no_such_module', which is not installed"]
    assert ".env: is not UTF-8" in done.stderr


ODD = """
from adjudge.plugin import ComponentConfig, JudgeBackendSpec, hookimpl

def raising(config, host):
    raise ValueError("no luck today")

@hookimpl.judge_backends
def judge_backends():
    return [
        JudgeBackendSpec(name="raising", summary="Raises", factory=raising),
        JudgeBackendSpec(name="heavy", summary="Needs much", factory=raising, requires=("no_such_module",)),
    ]
"""


def test_what_is_not_installed_is_said_before_a_call(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_distribution(
        tmp_path / "installed",
        "adjudge-odd",
        "1.0",
        entry_points={"odd": "odd_judges"},
        modules={"odd_judges": ODD},
    )
    monkeypatch.syspath_prepend(tmp_path / "installed")

    message = str(run("judges", "try", "heavy/m").exception)
    assert message == "judge 'heavy/m': needs the module 'no_such_module', which is not installed"


def test_the_listing_as_json(run: Run) -> None:
    listed = {item["name"]: item for item in json.loads(run("judges", "--json").stdout)}

    assert listed["gemini"]["id"] == "gemini-judge/gemini"
    assert "gemini-*" in listed["gemini"]["models"]
    assert listed["gemini"]["missing"]
    assert listed["replay"]["missing"] == []


def test_one_backend_is_shown_with_its_options(run: Run) -> None:
    shown = run("judges", "gemini-judge/gemini").stdout

    assert "id            gemini-judge/gemini" in shown
    assert "GEMINI_API_KEY" in shown
    assert json.loads(run("judges", "gemini", "--json").stdout)["name"] == "gemini"
    assert json.loads(run("judges", "--json", "gemini").stdout)["name"] == "gemini"


def test_a_misspelt_name_gets_a_suggestion(run: Run) -> None:
    done = run("judges", "gemmini")

    assert isinstance(done.exception, AdjudgeError)
    assert "Did you mean 'gemini'?" in str(done.exception)


# --- one real call ------------------------------------------------------------------------


def test_a_model_that_answers(run: Run, chat_model: Any) -> None:
    done = run("judges", "try", "openai/gpt-5-mini")
    lines = dict(line.split("  ", 1) for line in done.stdout.splitlines())

    assert done.return_value == 0
    assert lines["judge"].strip() == "openai/gpt-5-mini"
    assert lines["model version"].strip() == "gpt-5-mini-2025-08-07"
    assert lines["verdict"].strip() == "yes"
    assert lines["tokens"].strip() == "100 in, 10 out"
    assert len(chat_model.asked) == 1
    assert run("judges", "try", "gpt-5-mini").return_value == 0
    assert len(chat_model.asked) == 2, "an answer from a cache says nothing of the model now"


def test_a_model_that_is_wrong_says_so(run: Run, chat_model: Any) -> None:
    chat_model.label = "no"
    done = run("judges", "try", "openai/tiny")

    assert "verdict        no, where yes is right\n" in done.stdout
    told = json.loads(run("judges", "try", "openai/tiny", "--json").stdout)
    assert (told["verdict"], told["expected"], told["error"]) == ("no", "yes", None)


def failure(status: int, message: str, code: str | None = None) -> Response:
    error = {"message": message, "type": "error", "param": None, "code": code}
    return Response(json.dumps({"error": error}), status, content_type="application/json")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            failure(401, "Incorrect API key provided: sk-test-0123456789abcdef."),
            "error (auth): the judge openai/m cannot be asked: ",
        ),
        (
            failure(404, "The model `m` does not exist", "model_not_found"),
            "error (unknown model): the judge openai/m cannot be asked: ",
        ),
        (
            failure(429, "You exceeded your quota", "insufficient_quota"),
            "error (quota): the judge openai/m cannot be asked: ",
        ),
        (failure(429, "Slow down"), "error (rate limit): openai/m: "),
        (failure(503, "busy"), "error (overload): openai/m: "),
        (Response("<html>hello</html>", 200, content_type="text/html"), "error (malformed): openai/m: "),
    ],
    ids=lambda value: None if isinstance(value, Response) else str(value)[7:20],
)
def test_a_failure_is_one_message_with_its_class(
    run: Run, chat_model: Any, fault: Response, said: str
) -> None:
    chat_model.fault = fault
    done = run("judges", "try", "openai/m")

    assert done.return_value == 3
    assert done.stdout == ""
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
    assert "sk-test-0123456789abcdef" not in done.stderr
    assert len(chat_model.asked) == 1, "one call is one call"


def test_what_is_missing_stops_before_the_call(adjudge: Callable[..., Any]) -> None:
    done = adjudge("judges", "try", "anthropic/claude-haiku-4-5", ANTHROPIC_API_KEY="")

    assert done.returncode == 2
    assert done.stderr == "error: judge 'anthropic/claude-haiku-4-5': ANTHROPIC_API_KEY is not set\n"
