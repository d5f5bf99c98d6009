"""Everything that goes wrong between a run and its judge, really made; what a user sees of it."""

from __future__ import annotations

import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.errors import RunError
from adjudge.plugin import InputError

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    # Before the first retry; the others follow from it.
    monkeypatch.setattr("adjudge.judge.retry._FIRST_WAIT", 0.004)


def evaluate(**options: Any) -> adjudge.RunResult:
    return adjudge.evaluate_sync("bot:agent", "set.evalset.json", **options)


def verdicts_of(result: adjudge.RunResult) -> list[Any]:
    return [(case.eval_id, case.status, case.criteria[0].score) for case in result.cases()]


# What is wrong once, and passes: nobody sees anything of it.
PASSING: dict[str, Callable[[Any], Any]] = {
    "429": lambda of: of.status(429),
    "429 with Retry-After": lambda of: of.status(429, retry_after="0"),
    "500": lambda of: of.status(500),
    "502 with a page": lambda of: of.status(502, b"<html>Bad gateway</html>"),
    "503": lambda of: of.status(503),
    "504": lambda of: of.status(504, b""),
    "529": lambda of: of.status(529),
    "a reset in mid-body": lambda of: of.reset,
    "silence": lambda of: of.silence,
    "a byte at a time": lambda of: of.dripping,
    "truncated JSON": lambda of: of.answering(of.chat("x")[:40]),
    "HTML": lambda of: of.answering(b"<html>It works!</html>"),
    "invalid UTF-8": lambda of: of.answering(of.chat("x").replace(b'"x"', b'"\xff\xfe"')),
    "no choices": lambda of: of.answering(b'{"choices": []}'),
    "100 MB": lambda of: of.endless,
    "an error with status 200": lambda of: of.answering(b'{"error": {"message": "busy", "code": 503}}'),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_changes_no_verdict(
    model_server: Any, judged_run: Any, of_server: Any, name: str
) -> None:
    judged_run(2, timeout=0.5 if name in ("silence", "a byte at a time") else 30)
    model_server.label = lambda asked: "valid" if asked.case else "invalid"
    seen: set[object] = set()

    def first_time(asked: Any) -> Any:
        if asked.vote in seen:
            return None
        seen.add(asked.vote)
        return PASSING[name](of_server)

    model_server.fault = first_time
    result = evaluate()
    assert verdicts_of(result) == [("case-0", "FAIL", 0.0), ("case-1", "PASS", 1.0)]
    [calls] = result.summary.judges.values()
    assert (calls.calls, calls.retries, calls.failed) == (4, 4, 0)


# What stays: the code, whether `adjudge resume` tries again, words of the message, and calls for one vote.
STAYING: dict[str, tuple[Callable[[Any], Any], str, bool, str, int]] = {
    "429": (lambda of: of.status(429), "judge_rate_limit", True, "answered 429", 10),
    "500": (lambda of: of.status(500), "judge_server", True, "answered 500", 8),
    "503": (lambda of: of.status(503), "judge_overload", True, "answered 503", 10),
    "reset": (lambda of: of.reset, "judge_network", True, "the connection to", 8),
    "silence": (lambda of: of.silence, "judge_timeout", True, "did not answer within 0.2 s", 3),
    "drip": (lambda of: of.dripping, "judge_timeout", True, "did not answer within 0.2 s", 3),
    "truncated": (lambda of: of.answering(of.chat("x")[:40]), "judge_malformed", True, "no JSON object", 4),
    "html": (lambda of: of.answering(b"<p>hello</p>"), "judge_malformed", True, "<p>hello</p>", 4),
    "utf-8": (lambda of: of.answering(b'{"choices": "\xff"}'), "judge_malformed", True, "no JSON object", 4),
    "no choices": (lambda of: of.answering(b'{"choices": []}'), "judge_malformed", True, "choices[0]", 4),
    "huge": (lambda of: of.endless, "judge_malformed", True, "more than 8 MiB", 4),
    "refusal": (
        lambda of: of.answering(of.chat(None, refusal="No.")), "judge_refused", False, "refused to answer", 1,
    ),
    "schema": (
        lambda of: of.status(400, b'{"error": {"message": "Invalid schema for response_format"}}'),
        "judge_schema_rejected", False, "Invalid schema", 1,
    ),
    "too long": (
        lambda of: of.status(400, b'{"error": {"code": "context_length_exceeded", "message": "too long"}}'),
        "judge_context_too_long", False, "too long", 1,
    ),
    "no verdict": (lambda of: of.answering(of.chat("Yes!")), "judge_unreadable", False, "it is not JSON", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYING)
def test_what_stays_is_an_error_and_never_a_verdict(
    model_server: Any, judged_run: Any, of_server: Any, name: str
) -> None:
    fault, code, retryable, said, attempts = STAYING[name]
    judged_run(2, timeout=0.2 if code == "judge_timeout" else 60, num_samples=1)
    model_server.fault = lambda asked: None if asked.case else fault(of_server)
    result = evaluate(run="bad")
    broken, fine = result.cases()
    assert (fine.status, fine.criteria[0].score) == ("PASS", 1.0)
    assert (broken.status, broken.criteria[0].score) == ("error", None)
    error = broken.criteria[0].error
    assert error is not None
    assert (error.code, error.retryable, error.origin) == (code, retryable, "openai/m")
    assert said in error.message
    assert result.summary.exit_status == 3
    assert sum(asked.case == 0 for asked in model_server.asked) == attempts

    # Resume tries again what may pass, and asks nothing else.
    model_server.fault = lambda asked: None
    before = len(model_server.asked)
    resumed = adjudge.resume_sync("bad")
    assert resumed.passed == retryable
    assert len(model_server.asked) - before == int(retryable)


def test_a_server_that_is_gone(model_server: Any, judged_run: Any) -> None:
    judged_run(3)
    model_server.stop()

    with pytest.raises(InputError, match="no server answers"):
        evaluate()


def test_a_server_that_goes_in_the_middle(model_server: Any, judged_run: Any, of_server: Any) -> None:
    judged_run(30, num_samples=1)
    model_server.fault = lambda asked: of_server.reset if len(model_server.asked) > 20 else None
    result = evaluate(run="half")
    statuses = [case.status for case in result.cases()]
    assert set(statuses) == {"PASS", "error"}
    finished = statuses.count("PASS")
    model_server.fault = lambda asked: None
    answered = sum(model_server.answered.values())
    assert adjudge.resume_sync("half").passed
    assert sum(model_server.answered.values()) - answered == 30 - finished


def mixed(of: Any, seed: int) -> Callable[[Any], Any]:
    """Three requests in ten go wrong, each vote in its own way, whatever the order they come in."""
    tries: dict[object, int] = {}
    kinds = [
        of.status(429, retry_after="0"), of.status(429), of.status(500), of.status(503, retry_after_ms="2"),
        of.status(504, b""), of.reset, of.answering(b"<html>"), of.answering(of.chat("x")[:30]),
        of.answering(b'{"choices": []}'),
    ]  # fmt: skip

    def fault(asked: Any) -> Any:
        tries[asked.vote] = tries.get(asked.vote, 0) + 1
        # The secret's delimiters are in the messages; the case and the seed are not.
        chance = random.Random(f"{seed} {asked.case} {asked.seed} {tries[asked.vote]}")
        return chance.choice(kinds) if chance.random() < 0.3 else None

    return fault


def test_three_faults_in_ten_over_a_thousand_calls(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    judged_run(220, timeout=300, num_samples=5)
    model_server.label = of_server.divided
    fine = evaluate(use_cache=False)
    votes = len(model_server.answered)
    assert set(model_server.answered.values()) == {1}

    model_server.fault = mixed(of_server, 7)
    before = len(model_server.asked)
    faulty = evaluate(use_cache=False, run="faulty")
    made = len(model_server.asked) - before
    assert made > 1000
    assert (made - votes) / made > 0.25

    def compared(result: adjudge.RunResult) -> None:
        for (case, status, score), (expected, *rest) in zip(
            verdicts_of(result), verdicts_of(fine), strict=True
        ):
            assert case == expected
            assert [status, score] == rest or status == "error", case

    # What could not be finished is an error that a resumption finishes; no verdict differs.
    compared(faulty)
    unfinished = [case for case in faulty.cases() if case.status == "error"]
    assert len(unfinished) < 10
    assert all(case.criteria[0].error and case.criteria[0].error.retryable for case in unfinished)
    while any(case.status == "error" for case in faulty.cases()):
        faulty = adjudge.resume_sync("faulty")
    assert verdicts_of(faulty) == verdicts_of(fine)


def test_a_clock_that_jumps(model_server: Any, judged_run: Any, of_server: Any) -> None:
    """The wall clock goes a year ahead and back between any two looks at it; only a steady clock decides."""
    folder = judged_run(6)
    model_server.fault = lambda asked: (
        of_server.status(429, retry_after="0")
        if asked.case < 2 and len([other for other in model_server.asked if other.vote == asked.vote]) < 2
        else None
    )
    program = """
        import itertools, time
        real, jumps = time.time, itertools.cycle((0, 31_536_000, -31_536_000, 3600))
        time.time = lambda: real() + next(jumps)
        time.time_ns = lambda: int(time.time() * 1e9)
        import adjudge
        result = adjudge.evaluate_sync("bot:agent", "set.evalset.json")
        print(result.status)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout == "PASS\n", done.stderr
    assert done.stderr == ""


# --- the disk ---------------------------------------------------------------------------


def full_at(size: int) -> Callable[[], None]:
    """A process that can make no file larger than that: what a full disk looks like."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_full_disk_under_the_cache(model_server: Any, judged_run: Any) -> None:
    judged_run(4)
    assert evaluate().passed
    cache = sqlite3.connect(Path(os.environ["ADJUDGE_HOME"]) / "judge-cache.sqlite3")
    pages = cache.execute("PRAGMA page_count").fetchone()[0]
    assert pages
    # The cache cannot grow, and the run does not need it to.
    cache.execute(
        "CREATE TRIGGER full BEFORE INSERT ON replies_v1 BEGIN SELECT RAISE(FAIL, 'disk is full'); END"
    )
    cache.commit()
    cache.close()
    result = evaluate(judge="openai/other")
    assert result.passed
    [trouble] = [warning for warning in result.warnings if "judge cache" in warning]
    assert "is not used: disk is full" in trouble


@pytest.mark.parametrize("record", [[], ["--record", "x.recording"]], ids=["journal", "recording"])
def test_a_full_disk_under_the_run(
    model_server: Any, judged_run: Any, command_line: Cli, record: list[str]
) -> None:
    folder = judged_run(60)
    command = [
        sys.executable,
        "-m",
        "adjudge",
        "eval",
        "bot:agent",
        "set.evalset.json",
        "--run",
        "full",
        *record,
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        preexec_fn=full_at(250 * 1024),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3, done.stdout
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr

    before = len(model_server.answered)
    assert adjudge.resume_sync("full").passed
    assert before < len(model_server.answered) == 120


def test_a_run_that_could_not_begin_keeps_no_name(
    model_server: Any, judged_run: Any, command_line: Cli
) -> None:
    folder = judged_run(2)
    command = [sys.executable, "-m", "adjudge", "eval", "bot:agent", "set.evalset.json", "--run", "full"]
    done = subprocess.run(
        command,
        cwd=folder,
        preexec_fn=full_at(8 * 1024),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "cannot write the journal" in done.stderr
    assert "Traceback" not in done.stderr
    assert evaluate(run="full").passed


def test_a_home_that_cannot_be_written(model_server: Any, judged_run: Any, command_line: Cli) -> None:
    folder = judged_run(1)
    (folder / "file").write_text("in the way")
    done = command_line("eval", "bot:agent", "set.evalset.json", ADJUDGE_HOME=str(folder / "file" / "home"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert model_server.asked == []


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_secret_that_is_none_is_said(model_server: Any, judged_run: Any, content: bytes) -> None:

    judged_run(1)
    secret = Path(os.environ["ADJUDGE_HOME"]) / "secret"
    secret.parent.mkdir(parents=True)
    secret.write_bytes(content)
    with pytest.raises((InputError, RunError), match="not the secret"):
        evaluate()
    assert json.dumps(model_server.asked) == "[]"


def test_a_secret_is_for_its_owner_alone(model_server: Any, judged_run: Any) -> None:
    judged_run(1)
    evaluate()
    secret = Path(os.environ["ADJUDGE_HOME"]) / "secret"
    assert secret.stat().st_mode & 0o077 == 0
    assert len(secret.read_bytes()) == 32
    assert not list(secret.parent.glob("secret.*"))
