"""A judge that stops answering, troubles that pass, and what is known of the calls of a run that was killed."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.extension.loader import Extensions, discover
from adjudge.plugin import Host, JudgeBackendSpec, JudgeReply, JudgeRequest, NoConfig, hookimpl
from adjudge.testing import as_candidate, verdicts

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    # Before the first retry; the others follow from it.
    monkeypatch.setattr("adjudge.judge.retry._FIRST_WAIT", 0.004)


def evaluate(**options: Any) -> adjudge.RunResult:
    return adjudge.evaluate_sync("bot:agent", "set.evalset.json", **options)


def errors(result: adjudge.RunResult) -> list[Any]:
    return [item.criteria[0].error for item in result.cases() if item.status == "error"]


# --- a judge that dies ------------------------------------------------------------------


def test_a_judge_that_dies_is_not_asked_any_more(model_server: Any, judged_run: Any, of_server: Any) -> None:
    judged_run(200, num_samples=1)
    model_server.fault = lambda asked: None if len(model_server.asked) <= 50 else of_server.status(500)
    result = evaluate(run="dying")
    [calls] = result.summary.judges.values()

    assert result.summary.exit_status == 3
    # Those that were under way were each tried again; nobody else was asked.
    assert len(model_server.asked) - 50 <= 8 * 256
    assert calls.failed < 100
    refused = [error for error in errors(result) if error.code == "judge_unavailable"]
    assert len(refused) > 20
    assert all(error.retryable for error in errors(result))
    [said] = [warning for warning in result.warnings if "no longer called" in warning]
    assert said.startswith("openai is no longer called: 5 calls in a row failed, the last because ")
    assert "answered 500" in said

    model_server.fault = lambda asked: None
    again = adjudge.resume_sync("dying")
    assert again.passed
    assert len(model_server.answered) == 200
    assert not any("no longer called" in warning for warning in again.warnings)


def test_a_judge_that_is_silent_for_too_long_is_not_asked_as_often_as_allowed(
    model_server: Any, judged_run: Any, of_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.judge.circuit_breaker.PATIENCE", 0.0)
    judged_run(60, num_samples=1)
    model_server.fault = lambda asked: of_server.status(500)
    result = evaluate()

    assert len(model_server.asked) <= 5 + 16
    assert {error.code for error in errors(result)} == {"judge_unavailable"}


def test_a_success_between_failures_keeps_a_judge_alive(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    judged_run(40, num_samples=1, parallelism_limit=1)
    votes: dict[object, int] = {}

    def fault(asked: Any) -> Any:
        return of_server.status(500) if votes.setdefault(asked.vote, len(votes)) % 5 else None

    model_server.fault = fault
    result = evaluate()

    assert sum(case.status == "PASS" for case in result.cases()) == 8
    assert {error.code for error in errors(result)} == {"judge_server"}


def test_questions_that_a_provider_refuses_say_nothing_against_it(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    judged_run(12, num_samples=1)
    refusal = b'{"error": {"code": "context_length_exceeded", "message": "too long"}}'
    model_server.fault = lambda asked: of_server.status(400, refusal)

    assert {error.code for error in errors(evaluate())} == {"judge_context_too_long"}


def test_why_a_judge_is_not_asked_is_said_without_a_terminal(
    model_server: Any, judged_run: Any, of_server: Any, command_line: Cli
) -> None:
    folder = judged_run(30, num_samples=1)
    (folder / "sitecustomize.py").write_text(
        "import adjudge.judge.retry\nadjudge.judge.retry._FIRST_WAIT = 0.004\n"
    )
    model_server.fault = lambda asked: of_server.status(500, b"\x1b[2Jgone")
    done = command_line("eval", "bot:agent", "set.evalset.json", cwd=folder, PYTHONPATH=str(folder))

    assert done.returncode == 3, done.stderr
    assert "warning: openai is no longer called: " in done.stderr
    assert "\x1b" not in done.stderr


# --- troubles that pass -----------------------------------------------------------------


def test_a_redirect_passes_and_is_named(model_server: Any, judged_run: Any, of_server: Any) -> None:
    judged_run(2, num_samples=1)
    away = of_server.status(302, b"", location="https://login.example/?next=judge")
    model_server.fault = lambda asked: None if asked.case else away
    [error] = errors(evaluate(run="moved"))

    assert (error.code, error.retryable) == ("judge_malformed", True)
    assert (
        "answered 302: it redirects to https://login.example/?next=judge, which is not followed"
        in error.message
    )
    model_server.fault = lambda asked: None
    assert adjudge.resume_sync("moved").passed


class _Short:
    """A backend, on a machine that lacks something for as long as ``lacks`` is set."""

    def __init__(self) -> None:
        self.lacks: BaseException | None = None

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        if self.lacks is not None:
            try:
                raise self.lacks
            except Exception as error:
                raise ConnectionError("All connection attempts failed") from error
        return JudgeReply(text=verdicts(request, "valid"))

    @hookimpl.judge_backends
    def judge_backends(self) -> list[JudgeBackendSpec]:
        def make(_config: NoConfig, _host: Host) -> _Short:
            return self

        return [JudgeBackendSpec(name="short", summary="A program.", factory=make, prices="")]


SHORTAGES = [
    (OSError(errno.EMFILE, "Too many open files"), "too many files are open"),
    (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
    (OSError(errno.ENOMEM, "Cannot allocate memory"), "there is no memory left"),
    (RuntimeError("can't start new thread"), "no further thread or process can be started"),
]


@pytest.mark.parametrize(("lacking", "words"), SHORTAGES)
def test_what_a_machine_lacks_for_a_judge_passes(judged_run: Any, lacking: BaseException, words: str) -> None:
    judged_run(2, num_samples=1)
    backend = _Short()
    extensions = Extensions([*discover(), as_candidate("short-judge", backend)])
    backend.lacks = lacking
    result = evaluate(run="short", judge="short/m", extensions=extensions)

    assert [(error.code, error.retryable) for error in errors(result)] == [("judge_shortage", True)] * 2
    assert all(words in error.message for error in errors(result))
    backend.lacks = None
    assert adjudge.resume_sync("short", extensions=extensions).passed


@pytest.mark.parametrize(("lacking", "words"), SHORTAGES)
def test_what_a_machine_lacks_for_an_agent_passes(
    model_server: Any, judged_run: Any, lacking: BaseException, words: str
) -> None:
    judged_run(1, num_samples=1)
    lacks = [lacking]

    def agent(text: str) -> str:
        if lacks:
            raise lacks.pop()
        return text.replace("question", "answer")

    result = adjudge.evaluate_sync(agent, "set.evalset.json", run="short")
    [case] = result.cases()
    assert case.error is not None
    assert (case.error.code, case.error.retryable) == ("shortage", True)
    assert words in case.error.message
    assert adjudge.resume_sync("short", agent=agent).passed


# --- what is known after a kill ---------------------------------------------------------


def test_the_calls_of_a_run_that_was_killed_are_known(
    model_server: Any, judged_run: Any, command_line: Cli
) -> None:
    folder = judged_run(40, num_samples=1, parallelism_limit=1)
    command = [sys.executable, "-m", "adjudge", "eval", "bot:agent", "set.evalset.json", "--run", "killed"]
    running: list[subprocess.Popen[bytes]] = []

    def label(_: Any) -> str:
        if len(model_server.asked) == 10:
            running[0].kill()
        return "valid"

    model_server.label = label
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as one:
        running.append(one)
        one.wait(60)
    shown = command_line("runs", "show", "killed", "--output", "killed.json", cwd=folder)
    assert shown.returncode == 3, shown.stderr
    [calls] = json.loads((folder / "killed.json").read_text())["summary"]["judges"].values()
    assert calls["calls"] == 9
    assert calls["usage"]["input_tokens"] == 900

    result = adjudge.resume_sync("killed")
    assert result.passed
    [after] = result.summary.judges.values()
    assert after.calls == 40


# --- planning ---------------------------------------------------------------------------


def test_a_local_judge_is_looked_for_once_and_not_for_every_criterion(
    model_server: Any, judged_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_run(1, num_samples=1)
    criterion = {
        "criterion": "final_response_match_v2",
        "threshold": 0.5,
        "judge_model_options": {"num_samples": 1},
    }
    Path("test_config.json").write_text(json.dumps({"criteria": {f"c{n}": criterion for n in range(12)}}))
    looked: list[object] = []
    import socket

    connect = socket.create_connection

    def noted(*args: Any, **options: Any) -> socket.socket:
        looked.append(args)
        return connect(*args, **options)

    monkeypatch.setattr(socket, "create_connection", noted)
    result = evaluate()
    [case] = result.cases()
    assert len(case.criteria) == 12
    assert len(looked) == 1


def test_a_machine_that_is_busy_is_no_server_that_is_gone(
    model_server: Any, judged_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    def late(*_: Any, **__: Any) -> socket.socket:
        raise TimeoutError("timed out")

    judged_run(1, num_samples=1)
    monkeypatch.setattr(socket, "create_connection", late)
    assert evaluate().passed
