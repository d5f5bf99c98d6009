"""The end of the process: nothing that an agent leaves running or changes holds it up, or changes what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

AGENTS = """
import asyncio, atexit, multiprocessing, os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

def slow():
    time.sleep(600)

async def to_thread(text):
    return await asyncio.to_thread(slow)

def pool(text):
    ThreadPoolExecutor().submit(slow)
    return text

def thread(text):
    threading.Thread(target=slow, name="mine", daemon=False).start()
    return text

def process(text):
    if os.environ.get("CHILD") != "1":
        os.environ["CHILD"] = "1"
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,), name="mine").start()
    return text

def at_exit(text):
    atexit.register(slow)
    return text

class Slow:
    def __del__(self):
        slow()

kept = Slow()

def with_a_slow_end(text):
    return text

async def tries_again(text):
    while True:
        try:
            await asyncio.sleep(600)
        except:
            pass

def ends_the_process(text):
    os._exit(0)

def forks(text):
    os.fork()
    return text

async def forks_too(text):
    os.fork()
    return text

def no_exit(text):
    sys.exit = lambda *_: None
    return text

def no_output(text):
    sys.stdout = sys.stderr = None
    return text

def no_error_output(text):
    sys.stderr = None
    return text

def other_output(text):
    sys.stdout = sys.stderr = open(os.devnull, "w")
    return text

def nonsense(text):
    class Nothing:
        def __getattribute__(self, name):
            raise RuntimeError("no " + name)
    sys.stdout = sys.stderr = Nothing()
    return text
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(AGENTS)
    for name, answer in (("good", "hello"), ("bad", "something else")):
        turn = {
            "user_content": {"parts": [{"text": "hello"}]},
            "final_response": {"parts": [{"text": answer}]},
        }
        document = {"eval_set_id": "s", "eval_cases": [{"eval_id": "one", "conversation": [turn]}]}
        (tmp_path / f"{name}.test.json").write_text(json.dumps(document))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.8}}))
    return tmp_path


LEFT = {
    "to_thread": (3, "thread "),
    "pool": (0, "thread 'ThreadPoolExecutor"),
    "thread": (0, "thread 'mine'"),
    "process": (0, "process 'mine'"),
    "at_exit": (0, "what was registered to run at its end"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_what_an_agent_leaves_running_does_not_keep_the_process(folder: Path) -> None:
    with ExitStack() as files:
        started = {name: start(folder, name, files) for name in LEFT}
    # All at once: each of them waits some seconds for what was left running.
    try:
        ended = {name: process.wait(120) for name, process in started.items()}
    finally:
        for process in started.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # also what it has left running
            process.wait()
    for name, (status, said) in LEFT.items():
        assert ended[name] == status, name
        told = (folder / f"{name}.err").read_text()
        assert "was still running: " + said in told
        assert told.count("\n") == 1
        assert ("PASS  " if status == 0 else "ERROR  ") in (folder / f"{name}.out").read_text()
        assert json.loads((folder / f"{name}.json").read_text())["summary"]["exit_status"] == status


def start(folder: Path, name: str, files: ExitStack) -> subprocess.Popen[bytes]:
    out, err = (files.enter_context((folder / f"{name}.{end}").open("wb")) for end in ("out", "err"))
    arguments = ["eval", f"bots:{name}", "good.test.json", "--timeout", "2", "--output", f"{name}.json"]
    return subprocess.Popen(
        [sys.executable, "-m", "adjudge", *arguments],
        cwd=folder,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("name", "status", "verdict"), [("good", 0, "PASS  1 case passed"), ("bad", 1, "FAIL  1 ")]
)
@pytest.mark.parametrize("agent", ["no_output", "no_error_output", "other_output", "nonsense"])
def test_an_agent_that_replaces_the_standard_streams_hides_nothing(
    folder: Path, adjudge: Cli, agent: str, name: str, status: int, verdict: str
) -> None:
    done = adjudge("eval", f"bots:{agent}", f"{name}.test.json")
    assert done.returncode == status, done.stderr
    assert verdict in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("agent", "status", "told"),
    [("with_a_slow_end", 0, "PASS  1 case"), ("tries_again", 3, "ERROR  1 of 1 case")],
)
def test_code_of_an_agent_that_python_would_run_at_its_end_does_not_keep_the_process(
    folder: Path, adjudge: Cli, agent: str, status: int, told: str
) -> None:
    done = adjudge("eval", f"bots:{agent}", "good.test.json", "--timeout", "2")

    assert done.returncode == status, done.stderr
    assert told in done.stdout
    assert done.stderr == ""


def test_an_agent_that_ends_the_process_never_ends_it_as_a_pass(folder: Path, adjudge: Cli) -> None:
    done = adjudge("eval", "bots:ends_the_process", "good.test.json", "--run", "ended")

    assert done.returncode == 3
    assert "error: code that adjudge ran ended the process: os._exit(0)" in done.stderr
    assert "INCOMPLETE" in adjudge("runs", "show", "ended").stdout


def test_an_agent_that_replaces_the_exit_leaves_the_status_of_a_failure(folder: Path, adjudge: Cli) -> None:
    assert adjudge("eval", "bots:no_exit", "bad.test.json").returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("agent", ["forks", "forks_too"])
def test_a_process_that_an_agent_forked_does_not_go_on_with_the_run(
    folder: Path, adjudge: Cli, agent: str
) -> None:
    # It waits until nobody has its output any more: the forked process too.
    done = adjudge("eval", f"bots:{agent}", "good.test.json")

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("PASS  1 case passed") == 1


def test_an_import_that_takes_long_is_told(folder: Path, adjudge: Cli) -> None:
    (folder / "late.py").write_text("import time\ntime.sleep(1)\n\ndef agent(text):\n    return text\n")

    done = adjudge("eval", "late:agent", "good.test.json", ADJUDGE_PROGRESS="0.2")

    assert done.returncode == 0
    assert "still preparing: loading the agent, the criteria and the judges\n" in done.stderr


def test_a_journal_that_an_agent_removes_is_no_wrong_usage(folder: Path, adjudge: Cli) -> None:
    (folder / "tidy.py").write_text(
        "import os, shutil\n\ndef agent(text):\n    shutil.rmtree(os.environ['ADJUDGE_HOME'])\n    return text\n"
    )

    done = adjudge("eval", "tidy:agent", "good.test.json", ADJUDGE_HOME=str(folder / "home"))

    assert done.returncode == 3, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
