"""A report that lies on disk is of the last command that was to write it, or it is not there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest

import adjudge as adjudge_package

Cli = Callable[..., CompletedProcess[str]]

AGENT = """
import os, pathlib, time

def agent(text):
    return text

def dies(text):
    os._exit(0)

def waits(text, session):
    if session.eval_id == "case-1":
        print("asked", flush=True)
        time.sleep(600)
    return text

def fills_the_disk(text, session):
    if session.eval_id == "case-1":
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
    return text

def overwrites(text, session):
    path = pathlib.Path("set.test.json")
    path.write_text(path.read_text().replace("hello 79", "hallo 79"))
    return text
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bot.py").write_text(AGENT)
    cases = [
        {
            "eval_id": f"case-{number}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": f"hello {number}"}]},
                    "final_response": {"parts": [{"text": f"hello {number}"}]},
                }
            ],
        }
        for number in range(2)
    ]
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.8}}))
    log = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (tmp_path / "chat.json").write_text(json.dumps(log))
    words = [{"name": "repeats", "criterion": "action_repeats", "maximum": 3}]
    (tmp_path / "words.json").write_text(json.dumps(words))
    monkeypatch.chdir(tmp_path)
    return tmp_path


OUTPUTS = ("--output", "r.json", "--output", "r.xml", "--output", "r.html")
GREEN = ("eval", "bot:agent", "set.test.json", "--run", "green", *OUTPUTS)
JUDGE = ("judge", "chat.json", "--criteria", "words.json")


@pytest.mark.parametrize("of", ["eval", "judge"])
@pytest.mark.parametrize(
    "refused",
    [
        ("eval", "bot:nobody", "set.test.json"),
        ("eval", "bot:agent", "set.test.json:nothing"),
        ("eval", "bot:agent", "set.test.json", "--run", "green"),
        ("resume", "nothing"),
        ("judge", "nothing.json", "--criteria", "words.json"),
    ],
    ids=lambda command: " ".join(command),
)
def test_a_command_that_is_refused_leaves_no_older_report(
    folder: Path, adjudge_here: Cli, refused: tuple[str, ...], of: str
) -> None:
    assert adjudge_here(*GREEN).returncode == 0
    if of == "judge":
        adjudge_here(*JUDGE, *OUTPUTS)
    assert (folder / "r.json").exists()
    assert adjudge_here(*refused, *OUTPUTS).returncode == 2
    assert not (folder / "r.json").exists()
    assert not (folder / "r.xml").exists()
    assert not (folder / "r.html").exists()


def test_what_is_no_report_or_is_read_stays(folder: Path, adjudge_here: Cli) -> None:
    (folder / "mine.json").write_text('{"mine": 1}')
    refused = ("eval", "bot:nobody", "set.test.json", "--output")
    assert adjudge_here(*refused, "mine.json").returncode == 2
    assert (folder / "mine.json").read_text() == '{"mine": 1}'
    assert adjudge_here(*GREEN).returncode == 0
    report = (folder / "r.json").read_text()
    assert adjudge_here("judge", "r.json", "--criteria", "words.json", "--output", "r.json").returncode == 2
    assert (folder / "r.json").read_text() == report


def test_an_agent_that_ends_the_process_leaves_no_older_report(
    folder: Path, adjudge: Cli, adjudge_here: Cli
) -> None:
    assert adjudge_here(*GREEN).returncode == 0
    assert adjudge("eval", "bot:dies", "set.test.json", *OUTPUTS).returncode == 3
    assert not (folder / "r.json").exists()
    assert not (folder / "r.xml").exists()
    assert not (folder / "r.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_run_is_reported_as_incomplete(
    folder: Path, adjudge_here: Cli, number: signal.Signals
) -> None:
    assert adjudge_here(*GREEN).returncode == 0
    options = ("--concurrency", "1", "--run", "ended", *OUTPUTS)
    with subprocess.Popen(
        [sys.executable, "-m", "adjudge", "eval", "bot:waits", "set.test.json", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        process.send_signal(number)
        try:
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, complaint
    document = json.loads((folder / "r.json").read_text())
    assert document["run"]["name"] == "ended"
    assert document["run"]["duration"] > 0
    assert document["summary"]["incomplete"] is True
    assert document["summary"]["verdict"] is None
    root = ElementTree.parse(folder / "r.xml").getroot()  # noqa: S314 - it is our own
    assert int(root.get("errors", 0)) >= 1


def test_a_journal_that_cannot_be_written_any_more_is_no_usage_error(folder: Path, adjudge: Cli) -> None:
    pytest.importorskip("resource")
    done = adjudge("eval", "bot:fills_the_disk", "set.test.json", "--run", "full", "--concurrency", "1")
    assert done.returncode == 3, done.stderr
    assert "cannot be written" in done.stderr
    assert "adjudge resume full" in done.stderr


def test_an_eval_set_that_is_overwritten_under_the_run_is_no_usage_error(
    folder: Path, adjudge_here: Cli
) -> None:
    document = json.loads((folder / "set.test.json").read_text())
    text = json.dumps(document["eval_cases"][0])
    # More than are read at a time.
    cases = [
        json.loads(text.replace("case-0", f"case-{n}").replace("hello 0", f"hello {n}")) for n in range(80)
    ]
    (folder / "set.test.json").write_text(json.dumps({**document, "eval_cases": cases}))
    options = ("--run", "r", "--concurrency", "1")
    done = adjudge_here("eval", "bot:overwrites", "set.test.json", *options)
    assert done.returncode == 3, done.stdout
    assert "the file was changed since it was opened" in done.stderr


def test_a_run_that_has_every_result_and_no_end_says_so(folder: Path, adjudge_here: Cli) -> None:
    import sqlite3
    from contextlib import closing

    assert adjudge_here(*GREEN).returncode == 0
    journal = folder / "adjudge-home" / "runs" / "green.sqlite3"
    with closing(sqlite3.connect(journal)) as connection, connection:
        [[kept]] = connection.execute("SELECT value FROM meta WHERE key = 'run'").fetchall()
        unfinished = json.dumps({**json.loads(kept), "finished_at": None})
        connection.execute("UPDATE meta SET value = ? WHERE key = 'run'", (unfinished,))
    shown = adjudge_here("runs", "show", "green")
    assert shown.returncode == 3
    assert "INCOMPLETE  the run has not ended, 2 passed   run green" in shown.stdout


def test_a_run_is_resumed_with_its_own_concurrency(folder: Path) -> None:
    now: set[str] = set()
    most: list[int] = []
    from adjudge.plugin import AgentError

    async def agent(text: str) -> str:
        import asyncio

        now.add(text)
        most.append(len(now))
        for _ in range(20):
            await asyncio.sleep(0)
        now.discard(text)
        if len(most) <= 2:
            raise AgentError("busy", retryable=True)
        return text

    adjudge_package.evaluate_sync(agent, "set.test.json", run="r", concurrency=1)
    assert adjudge_package.resume_sync("r", agent=agent).passed
    assert most == [1, 1, 1, 1]
