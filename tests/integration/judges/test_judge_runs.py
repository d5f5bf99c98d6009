"""Runs that ask a judge over HTTP: what is asked, how often, and what comes out."""

from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.errors import RunError
from adjudge.plugin import InputError

Cli = Callable[..., subprocess.CompletedProcess[str]]

COMMAND = [sys.executable, "-m", "adjudge", "eval", "bot:agent", "set.evalset.json"]


def evaluate(**options: Any) -> adjudge.RunResult:
    return adjudge.evaluate_sync("bot:agent", "set.evalset.json", **options)


def comparable(path: Path | str) -> Any:
    """A report without what may differ between a run and its replay: names, times, and who judged where."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            timing = {
                "name",
                "started_at",
                "finished_at",
                "duration",
                "plan_hash",
                "backends",
                "models",
                "plugins",
            }
            return {key: cleaned(item) for key, item in value.items() if key not in timing}
        return [cleaned(item) for item in value] if isinstance(value, list) else value

    return cleaned(json.loads(Path(path).read_text()))


def calls(result: adjudge.RunResult) -> Any:
    [found] = result.summary.judges.values()
    return found


def errors(result: adjudge.RunResult) -> list[Any]:
    return [item.criteria[0].error for item in result.cases() if item.status == "error"]


# --- what is known is not asked again ---------------------------------------------------


def test_a_rerun_makes_no_call(model_server: Any, judged_run: Any, of_server: Any) -> None:
    judged_run(8, num_samples=5)
    model_server.label = of_server.divided
    evaluate(outputs=["first.json"])
    asked = len(model_server.asked)
    assert asked == len(model_server.answered)

    again = evaluate(outputs=["again.json"])
    assert len(model_server.asked) == asked
    assert (calls(again).calls, calls(again).cached) == (0, asked)
    first, second = comparable("first.json"), comparable("again.json")
    assert first["cases"] == second["cases"]

    evaluate(use_cache=False)
    assert len(model_server.asked) == 2 * asked


def test_a_run_without_the_cache_leaves_nothing_in_it(model_server: Any, judged_run: Any) -> None:
    judged_run(2)
    evaluate(use_cache=False)
    evaluate()
    assert len(model_server.asked) == 2 * 2 * 2


def test_another_model_or_address_is_asked_itself(
    model_server: Any, judged_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_run(2)
    evaluate()
    evaluate(judge="openai/other")
    assert {asked.model for asked in model_server.asked} == {"m", "other"}
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.address.replace("127.0.0.1", "localhost"))
    evaluate()
    assert len(model_server.asked) == 3 * 2 * 2


def test_identical_requests_are_made_once(model_server: Any, judged_run: Any) -> None:
    judged_run(3)
    model_server.delay = 0.05
    # The repeats of a case give one answer: what is asked about it is one question, under way or answered.
    result = evaluate(num_runs=6)
    assert set(model_server.answered.values()) == {1}
    assert len(model_server.asked) == calls(result).calls == 3 * 2


def test_two_processes_share_one_cache(model_server: Any, judged_run: Any, command_line: Cli) -> None:
    folder = judged_run(12)
    both = [
        subprocess.Popen(COMMAND, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert b"not used" not in out + err, "the cache was given up"
    asked = len(model_server.asked)
    evaluate()
    assert len(model_server.asked) == asked


def test_a_damaged_cache_is_no_reason_to_stop(model_server: Any, judged_run: Any) -> None:
    import sqlite3

    judged_run(2)
    evaluate()
    cache = Path(os.environ["ADJUDGE_HOME"]) / "judge-cache.sqlite3"
    with sqlite3.connect(cache) as connection:
        connection.execute("UPDATE replies_v1 SET data = ?", (b"{} of another version",))
    connection.close()
    assert evaluate().passed
    cache.write_bytes(b"not a database" * 1000)
    damaged = evaluate()
    assert damaged.passed
    assert any("judge cache" in warning for warning in damaged.warnings)
    assert len(model_server.asked) == 3 * 2 * 2


def test_a_cache_that_another_process_holds_is_given_up(
    model_server: Any, judged_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from adjudge.journal import reply_cache

    judged_run(2)
    evaluate()
    monkeypatch.setattr(reply_cache, "_BUSY", 0.1)
    holder = sqlite3.connect(Path(os.environ["ADJUDGE_HOME"]) / "judge-cache.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    result = evaluate(judge="openai/other")
    holder.close()
    assert result.passed
    assert any("locked" in warning for warning in result.warnings)


# --- record and replay ------------------------------------------------------------------


@pytest.mark.parametrize("judges", [("openai/m",), ("openai/m", "openai/other")])
def test_a_replayed_run_is_identical(
    model_server: Any,
    judged_run: Any,
    of_server: Any,
    monkeypatch: pytest.MonkeyPatch,
    judges: tuple[str, ...],
) -> None:
    folder = judged_run(10, num_samples=5)
    model_server.label = of_server.divided
    # One vote that cannot be read, one question that is refused: they are replayed too.
    faults = {3: of_server.status(400), 4: of_server.answering(of_server.chat("not JSON"))}
    model_server.fault = lambda asked: faults.get(asked.case)
    recorded = evaluate(judge=judges, record="judge.recording", outputs=["recorded.json"])
    model_server.stop()

    # On another machine: another secret, no key, no server, no cache.
    monkeypatch.setenv("ADJUDGE_HOME", str(folder / "elsewhere"))
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    replayed = evaluate(judge="replay:judge.recording", outputs=["replayed.json"])
    assert replayed.status == recorded.status
    assert comparable("replayed.json") == comparable("recorded.json")
    assert comparable("recorded.json")["cases"][3]["status"] == "error"


def test_a_recording_is_whole_where_answers_came_from_the_cache(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    judged_run(5, num_samples=5)
    model_server.label = of_server.divided
    evaluate()
    evaluate(record="judge.recording", outputs=["recorded.json"])
    model_server.stop()
    evaluate(judge="replay:judge.recording", outputs=["replayed.json"])
    assert comparable("replayed.json")["cases"] == comparable("recorded.json")["cases"]


def test_what_was_not_recorded_is_an_error(model_server: Any, judged_run: Any) -> None:
    folder = judged_run(3)
    evaluate(record="judge.recording")
    (folder / "bot.py").write_text("def agent(text):\n    return 'something new'\n")
    result = adjudge.evaluate_sync(
        lambda text: "something new", "set.evalset.json", judge="replay:judge.recording"
    )
    assert result.summary.status == "error"
    assert [(error.code, error.retryable) for error in errors(result)] == [("judge_not_recorded", False)] * 3
    assert "record it again" in errors(result)[0].message


@pytest.mark.parametrize("content", [b"", b"nothing of the kind" * 100, None])
def test_a_file_that_is_no_recording_stops_the_plan(
    model_server: Any, judged_run: Any, content: bytes | None
) -> None:
    folder = judged_run(1)
    if content is not None:
        (folder / "x").write_bytes(content)
    with pytest.raises(InputError, match="recording"):
        evaluate(judge="replay:x")
    assert model_server.asked == []


def test_a_recording_that_was_cut_is_no_crash(model_server: Any, judged_run: Any, command_line: Cli) -> None:
    folder = judged_run(40)
    evaluate(record="judge.recording")
    whole = (folder / "judge.recording").read_bytes()
    (folder / "judge.recording").write_bytes(whole[: len(whole) // 2])
    done = command_line("eval", "bot:agent", "set.evalset.json", "--judge", "replay:judge.recording")
    assert done.returncode == 2
    assert "damaged" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_recording_is_not_written_over(model_server: Any, judged_run: Any) -> None:
    folder = judged_run(1)
    (folder / "mine").write_text("precious")
    with pytest.raises(InputError, match="not written over"):
        evaluate(record="mine")
    assert (folder / "mine").read_text() == "precious"
    assert model_server.asked == []


# --- interruption -----------------------------------------------------------------------


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [*COMMAND, *arguments]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.005)


@pytest.mark.parametrize("cache", [[], ["--no-cache"]], ids=["cache", "no-cache"])
def test_a_killed_run_repeats_no_vote(
    model_server: Any, judged_run: Any, of_server: Any, command_line: Cli, cache: list[str]
) -> None:
    folder = judged_run(40, num_samples=5, parallelism_limit=16)
    model_server.label = of_server.divided
    whole = evaluate(outputs=["whole.json"], use_cache=False)
    votes = set(model_server.answered)
    model_server.answered.clear()
    model_server.asked.clear()

    model_server.answers = 60
    process = start(folder, "--run", "killed", *cache)
    wait_for(lambda: len(model_server.asked) > 60)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = len(model_server.answered)
    assert before < len(votes), "the run was over before it was killed"
    if cache:
        assert not (Path(os.environ["ADJUDGE_HOME"]) / "judge-cache.sqlite3").exists()

    model_server.answers = math.inf
    resumed = adjudge.resume_sync("killed", outputs=["resumed.json"])
    assert resumed.status == whole.status
    assert set(model_server.answered) == votes
    # What the server had sent when the process died never arrived: no more than were under way.
    repeated = sum(count - 1 for count in model_server.answered.values())
    assert repeated <= 16
    assert comparable(folder / "resumed.json")["cases"] == comparable(folder / "whole.json")["cases"]


def test_ctrl_c_during_calls(model_server: Any, judged_run: Any, of_server: Any) -> None:
    folder = judged_run(20, parallelism_limit=16)
    model_server.fault = lambda asked: of_server.silence if asked.case >= 10 else None
    process = start(folder, "--run", "stopped")
    wait_for(lambda: len(model_server.asked) > 25)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "adjudge resume stopped" in complaint
    assert "Traceback" not in complaint
    assert "never retrieved" not in complaint

    model_server.fault = lambda asked: None
    assert adjudge.resume_sync("stopped").passed
    # What the server had sent just then never arrived, and is asked for again; nothing else is.
    assert len(model_server.answered) == 40
    assert sum(model_server.answered.values()) - 40 <= 16


def test_a_run_can_be_cancelled_from_a_program(model_server: Any, judged_run: Any, of_server: Any) -> None:
    judged_run(4)
    model_server.fault = lambda asked: of_server.silence

    async def main() -> None:
        run = asyncio.create_task(adjudge.evaluate("bot:agent", "set.evalset.json", run="given-up"))
        while len(model_server.asked) < 8:
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        # Nothing is left behind in a program that goes on.
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    model_server.fault = lambda asked: None
    assert adjudge.resume_sync("given-up").passed


# --- what every call would meet ---------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "body", "said"),
    [
        (401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, "Incorrect API key"),
        (403, {"error": {"message": "No access"}}, "No access"),
        (
            404,
            {"error": {"message": "The model does not exist", "code": "model_not_found"}},
            "does not exist",
        ),
        (
            429,
            {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}},
            "exceeded your quota",
        ),
    ],
)
def test_what_every_call_would_meet_stops_the_run(
    model_server: Any, judged_run: Any, of_server: Any, number: int, body: Any, said: str
) -> None:
    judged_run(40)
    model_server.delay = 0.01
    model_server.fault = lambda asked: of_server.status(number, json.dumps(body).encode())
    with pytest.raises(RunError) as caught:
        evaluate(run="refused")
    message = str(caught.value)
    assert said in message
    assert "adjudge resume refused" in message
    assert "openai/m" in message
    assert len(model_server.asked) <= 16, "nobody asks on"

    model_server.fault = lambda asked: None
    assert adjudge.resume_sync("refused").passed


def test_a_wrong_key_on_the_command_line(
    model_server: Any, judged_run: Any, of_server: Any, command_line: Cli
) -> None:
    folder = judged_run(6)

    def checked(asked: Any) -> Any:
        refused = of_server.status(401, b'{"error": {"message": "Incorrect API key provided"}}')
        return None if asked.headers["authorization"] == f"Bearer {of_server.KEY}" else refused

    model_server.fault = checked
    done = command_line(
        "eval", "bot:agent", "set.evalset.json", "--run", "locked", cwd=folder, OPENAI_API_KEY="sk-wrong-key"
    )
    assert done.returncode == 2
    assert done.stderr.count("error:") == 1
    assert "Incorrect API key provided" in done.stderr
    assert "adjudge resume locked" in done.stderr
    assert "Traceback" not in done.stderr
    assert "sk-wrong-key" not in done.stdout + done.stderr
    assert adjudge.resume_sync("locked").passed


# --- budgets ----------------------------------------------------------------------------


def test_a_budget_of_calls_is_kept_and_resume_finishes(model_server: Any, judged_run: Any) -> None:
    judged_run(10)
    result = evaluate(run="thrifty", max_judge_calls=7)
    assert len(model_server.asked) == 7
    assert result.summary.exit_status == 3
    statuses = [case.status for case in result.cases()]
    assert statuses.count("PASS") == 3
    assert statuses.count("error") == 7
    assert {(error.code, error.retryable) for error in errors(result)} == {("judge_budget", True)}
    assert "the budget of 7 judge calls is used up" in errors(result)[0].message

    resumed = adjudge.resume_sync("thrifty", max_judge_calls=100)
    assert resumed.passed
    assert len(model_server.asked) == len(model_server.answered) == 20
    # Twice as much as was needed is no reason to use it.
    assert sum(item.calls for item in resumed.summary.judges.values()) == 20


def test_a_budget_of_money_stops_before_the_call(model_server: Any, judged_run: Any) -> None:
    pytest.importorskip("genai_prices")
    judged_run(10)
    # 100 tokens in and 10 out cost 0.000021 USD; before the first answer 1024 are reckoned with.
    result = evaluate(judge="openai/gpt-4o-mini", run="poor", max_cost=0.0015, concurrency=1)
    [calls_made] = result.summary.judges.values()
    assert 0 < len(model_server.asked) < 20
    assert calls_made.cost is not None
    assert calls_made.cost <= 0.0015
    assert {error.code for error in errors(result)} == {"judge_budget"}
    assert adjudge.resume_sync("poor", max_cost=1.0).passed
    assert set(model_server.answered.values()) == {1}


def test_a_budget_of_money_needs_a_price(model_server: Any, judged_run: Any) -> None:
    pytest.importorskip("genai_prices")
    judged_run(1)
    with pytest.raises(InputError, match="price is not known"):
        evaluate(judge="openai/my-own-model", max_cost=1.0)
    assert model_server.asked == []


# --- how many at a time, and when -------------------------------------------------------


def test_sixteen_calls_at_a_time_to_begin_with(model_server: Any, judged_run: Any) -> None:
    judged_run(8)
    model_server.together = 16
    model_server.delay = 0.1  # for one too many to come
    evaluate()
    assert model_server.most_at_once == 16


def test_parallelism_limit_binds_where_it_is_written(model_server: Any, judged_run: Any) -> None:
    judged_run(8, parallelism_limit=3)
    model_server.together = 3
    model_server.delay = 0.02
    evaluate()
    assert model_server.most_at_once == 3


def test_nobody_asks_while_the_provider_asks_to_wait(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    judged_run(60)
    refused: list[Any] = []

    def one_refusal(asked: Any) -> Any:
        if len(model_server.asked) < 30 or refused:
            return None
        refused.append(asked)
        return of_server.status(429, retry_after="200")

    model_server.fault = one_refusal

    async def main() -> int:
        run = asyncio.create_task(adjudge.evaluate("bot:agent", "set.evalset.json", run="waiting"))
        # What was under way arrives, then nothing does, although most is still to ask.
        asked = -1
        while asked < len(model_server.asked) or not refused:
            asked = len(model_server.asked)
            await asyncio.wait({run}, timeout=0.5)
        assert not run.done()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return asked

    assert asyncio.run(main()) < 60 * 2
    assert adjudge.resume_sync("waiting").passed


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "1"}, 1.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after_ms": "300"}, 0.3),
        ({"date": "Wed, 21 Oct 2015 07:28:00 GMT", "retry_after": "Wed, 21 Oct 2015 07:28:01 GMT"}, 1.0),
        ({"date": "Wed, 21 Oct 2015 07:28:00 GMT", "retry_after": "Wed, 21 Oct 2015 07:00:00 GMT"}, 0.0),
    ],
)
def test_the_provider_says_when_to_come_again(
    model_server: Any, judged_run: Any, of_server: Any, headers: dict[str, str], seconds: float
) -> None:
    judged_run(1, num_samples=1)
    model_server.fault = lambda asked: (
        of_server.status(429, **headers) if len(model_server.asked) == 1 else None
    )
    result = evaluate()
    assert result.passed
    first, second = (asked.at for asked in model_server.asked)
    assert second - first >= seconds
    assert calls(result).retries == 1


def test_who_asks_for_too_much_patience_is_an_error_that_can_be_retried(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    judged_run(1, num_samples=1)
    model_server.fault = lambda asked: of_server.status(503, retry_after="3600")
    result = evaluate(run="later")
    [error] = errors(result)
    assert (error.code, error.retryable, error.origin) == ("judge_overload", True, "openai/m")
    assert len(model_server.asked) == 1
    model_server.fault = lambda asked: None
    assert adjudge.resume_sync("later").passed


def test_nobody_waits_for_ever_after_the_last_call_before_a_pause(
    model_server: Any, judged_run: Any, of_server: Any
) -> None:
    """Every call of the first round is answered, and says that no more may come for a while."""
    judged_run(30, num_samples=1)
    limits = {"x_ratelimit_remaining_requests": "0", "x_ratelimit_reset_requests": "300ms"}
    body = of_server.chat('{"item_1": {"rationale": "", "verdict": "valid"}}')
    model_server.fault = lambda asked: of_server.status(200, body, **limits)
    model_server.delay = 0.05
    assert evaluate().passed


# --- keys -------------------------------------------------------------------------------


def test_the_environment_comes_before_env_files_and_the_agents_before_the_working_folders(
    model_server: Any, judged_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = judged_run(1, num_samples=1)
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "agent.py").write_text((folder / "bot.py").read_text())
    (folder / "pack" / ".env").write_text("OPENAI_API_KEY=sk-of-the-agent\n")
    (folder / ".env").write_text("OPENAI_API_KEY=sk-of-the-folder\n")

    def sent() -> str:
        adjudge.evaluate_sync("pack.agent:agent", "set.evalset.json", use_cache=False)
        return str(model_server.asked[-1].headers["authorization"])

    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    assert sent() == "Bearer sk-of-the-environment"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert sent() == "Bearer sk-of-the-agent"
    (folder / "pack" / ".env").unlink()
    assert sent() == "Bearer sk-of-the-folder"
    assert "OPENAI_API_KEY" not in os.environ


def test_keys_appear_nowhere(model_server: Any, judged_run: Any, of_server: Any, command_line: Cli) -> None:
    """After successes and failures of every kind, in everything that is written or said."""
    folder = judged_run(12, num_samples=1)
    repeated = json.dumps({"error": {"message": f"your key {of_server.KEY} is odd"}}).encode()
    faults = {
        2: of_server.status(400, repeated),
        3: of_server.status(500, repeated, retry_after="3600"),
        4: of_server.status(429, repeated, retry_after="3600"),
        5: of_server.answering(repeated.replace(b"odd", b'odd", "code": "400').replace(b'"400"', b"400")),
        6: of_server.answering(of_server.chat(None, refusal=f"I refuse to talk to {of_server.KEY[:8]}")),
        7: of_server.status(422, repeated, retry_after="3600"),
        8: of_server.status(302, repeated, location=f"http://127.0.0.1:9/{of_server.KEY}"),
    }
    model_server.fault = lambda asked: faults.get(asked.case)
    said: list[str] = []
    for arguments in (
        ["--run", "one", "--record", "one.recording", "--output", "one.json", "--output", "one.xml"],
        ["--run", "two", "--print_detailed_results", "--no-cache"],
    ):
        done = command_line("eval", "bot:agent", "set.evalset.json", *arguments)
        assert done.returncode == 3, done.stderr
        said += [done.stdout, done.stderr]
    model_server.fault = lambda asked: of_server.status(401, repeated)
    done = command_line("eval", "bot:agent", "set.evalset.json", "--run", "three", "--no-cache")
    assert done.returncode == 2
    said += [done.stdout, done.stderr]
    for command in (["judges"], ["resume", "three"]):
        done = command_line(*command)
        said += [done.stdout, done.stderr]

    for text in said:
        assert of_server.KEY not in text
        assert "Traceback" not in text
    written = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {path.suffix for path in written} >= {".json", ".xml", ".recording", ".sqlite3"}
    for path in written:
        assert of_server.KEY.encode() not in _everything(path), path


def _unpacked(value: object) -> bytes:
    """What a cell holds; a key may begin as packed data do."""
    import zlib

    if not isinstance(value, bytes):
        return str(value).encode()
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value


def _everything(path: Path) -> bytes:
    """What a file holds, with what databases keep packed."""
    import sqlite3

    data = path.read_bytes()
    if not data.startswith(b"SQLite format 3"):
        return data
    copy = path.with_name(f"copy-{path.name}")
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for table in tables:
            for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a table of this file
                for value in row:
                    data += _unpacked(value)
    connection.close()
    copy.unlink()
    return data
