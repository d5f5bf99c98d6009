"""``--isolate``: agents in processes of their own, and what becomes of cases whose agents misbehave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import InputError, RunResult

AGENT = """
import os, sys, threading, time, signal
seen = []

def agent(text, session):
    seen.append(text)
{deeds}
    return "fine"
"""

CONFIG = {"criteria": {"response_match_score": 1.0}}


@pytest.fixture(autouse=True)
def in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    path, known = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def turn(question: str, answer: str = "fine") -> dict[str, Any]:
    return {
        "user_content": {"role": "user", "parts": [{"text": question}]},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
    }


def cases(**turns: list[dict[str, Any]]) -> str:
    document = {
        "eval_set_id": "set",
        "eval_cases": [{"eval_id": key, "conversation": value} for key, value in turns.items()],
    }
    Path("cases.evalset.json").write_text(json.dumps(document))
    return "cases.evalset.json"


def agent(**deeds: str) -> str:
    """An agent that does a deed where it is told its name."""
    lines = [
        line
        for name, deed in deeds.items()
        for line in (f"    if text == {name!r}:", *(f"        {each}" for each in deed.splitlines()))
    ]
    Path("hostile.py").write_text(AGENT.format(deeds="\n".join(lines)))
    return "hostile:agent"


def evaluated(target: str, eval_set: str, **options: Any) -> RunResult:
    return adjudge.evaluate_sync(target, eval_set, **{"config": CONFIG, "isolate": True, **options})


def all_done(**deeds: str) -> dict[str, Any]:
    """The results of cases in which the agent does one deed each; the last one does nothing at all."""
    eval_set = cases(**{name: [turn(name)] for name in (*deeds, "nothing")})
    found = {case.eval_id: case for case in evaluated(agent(**deeds), eval_set, concurrency=2).cases()}
    assert found.pop("nothing").status == "PASS"
    return found


def test_what_ends_an_agent_is_an_error_of_its_case_alone() -> None:
    found = all_done(
        raises="raise ValueError('boom')",
        exits="sys.exit(4)",
        ends="print('last words')\nos._exit(7)",
        ends_well="os._exit(0)",
        crashes="os.kill(os.getpid(), signal.SIGSEGV)",
        closes="time.sleep(0.1)\nos.closerange(3, 1000)",
    )

    told = {name: (case.status, case.error.code) for name, case in found.items()}
    assert told.pop("raises") == ("error", "agent_raised")
    assert told.pop("exits") == ("error", "agent_raised")
    assert set(told.values()) == {("error", "process_ended")}
    assert "ValueError: boom" in found["raises"].error.message
    assert found["raises"].error.place.startswith("hostile.py:8")
    assert "ValueError: boom" in found["raises"].error.traceback
    assert "SystemExit" in found["exits"].error.message
    assert found["ends"].error.message == (
        "the agent's process ended with exit status 7; the last that it printed: last words"
    )
    assert found["ends_well"].error.message.endswith("ended with exit status 0, and had printed nothing")
    assert "was ended by SIGSEGV" in found["crashes"].error.message


def test_what_an_agent_does_to_its_process_changes_no_verdict() -> None:
    folder = Path.cwd()

    found = all_done(
        changes_folder="os.chdir('/')",
        prints="print('{}')\nsys.stdout.flush()\nos.write(1, b'noise')",
        prints_10_MB="sys.stdout.write('x' * 10_000_000)",
        forks="if os.fork() == 0: time.sleep(600)",
        goes_on_twice="os.fork()",
        leaves_a_thread="threading.Thread(target=time.sleep, args=(600,)).start()",
        no_environment="os.environ.clear()",
        no_path="sys.path.clear()",
    )

    assert {name: case.status for name, case in found.items()} == dict.fromkeys(found, "PASS")
    assert Path.cwd() == folder
    assert os.environ["PATH"]


def test_an_answer_may_be_large_or_strange() -> None:
    found = all_done(large="return 'x' * 10_000_000", strange="return '\\ud800'")

    assert found["large"].status == "FAIL"
    assert found["strange"].status in ("FAIL", "error")


def test_an_agent_that_never_ends_is_ended_with_its_time() -> None:
    names = {"loops": "while True: pass", "sleeps": "time.sleep(600)"}
    pid = "open(text, 'w').write(str(os.getpid()))\n"
    target = agent(**{name: pid + deed for name, deed in names.items()})

    result = evaluated(target, cases(**{name: [turn("Hello."), turn(name)] for name in names}), timeout=15)

    for item in result.details():
        assert (item.result.status, item.result.error.code) == ("error", "timeout")
        assert "left running" not in item.result.error.message
        assert len(item.actual.invocations) == 1
        assert is_gone(int(Path(item.result.eval_id).read_text()))


def test_what_an_agent_started_ends_with_its_session() -> None:
    deed = "child = os.fork()\nif child == 0:\n    time.sleep(600)\nopen('pid', 'w').write(str(child))"

    assert all_done(starts=deed)["starts"].status == "PASS"

    assert is_gone(int(Path("pid").read_text()))


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has asked for its status yet has."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_nothing_that_an_agent_remembers_reaches_another_case() -> None:
    Path("counting.py").write_text(
        "seen = []\ndef agent(text):\n    seen.append(text)\n    return str(len(seen))\n"
    )
    eval_set = cases(one=[turn("a", "1"), turn("b", "2")], two=[turn("c", "1")])

    together = evaluated("counting:agent", eval_set, isolate=False, concurrency=1)
    apart = evaluated("counting:agent", eval_set, concurrency=1)

    assert [case.status for case in together.cases()] == ["PASS", "FAIL"]
    assert [case.status for case in apart.cases()] == ["PASS", "PASS"]


def test_steps_are_seen_as_they_happen_and_outlive_the_process() -> None:
    Path("stepping.py").write_text(
        """
import os
from adjudge.model import Step, ToolCall

class Agent:
    def open_session(self, request, emit):
        self.emit = emit
        return self
    def send(self, content):
        self.emit(Step(number=1, items=(ToolCall(name="look"),)))
        os._exit(3)
"""
    )

    result = evaluated("stepping:Agent", cases(one=[turn("a")]))

    [item] = result.details()
    assert item.result.error.code == "process_ended"
    [kept] = item.actual.invocations
    assert len(kept.steps) == 1


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import os; os._exit(5)", "while it was loaded, its process ended with exit status 5"),
        ("agen = print", "has no 'agent'"),
    ],
)
def test_an_agent_that_cannot_be_loaded_is_told_before_the_run(source: str, told: str) -> None:
    Path("broken.py").write_text(source)

    with pytest.raises(InputError) as refused:
        evaluated("broken:agent", cases(one=[turn("a")]))

    assert told in str(refused.value)


def test_the_agent_is_never_imported_into_the_process_of_the_run() -> None:
    Path("seen_nowhere.py").write_text("def agent(text): return 'fine'")

    assert evaluated("seen_nowhere:agent", cases(one=[turn("a")])).passed

    assert "seen_nowhere" not in sys.modules


def test_an_agent_that_is_an_object_cannot_be_isolated() -> None:
    with pytest.raises(InputError, match="an object of this program, which no other process can have"):
        adjudge.evaluate_sync(lambda text: text, cases(one=[turn("a")]), isolate=True)


def test_a_recording_cannot_be_isolated() -> None:
    eval_set = cases(one=[turn("a")])

    with pytest.raises(InputError, match="it is a recording"):
        evaluated(f"recorded:{eval_set}", eval_set)


def test_sessions_begin_with_their_state_and_show_it() -> None:
    Path("stateful.py").write_text(
        "def agent(text, session):\n    session.state['count'] = session.state.get('count', 0) + 1\n    return 'fine'\n"
    )
    document = {
        "eval_set_id": "set",
        "eval_cases": [
            {
                "eval_id": "one",
                "conversation": [turn("a"), turn("b")],
                "session_input": {"app_name": "x", "user_id": "u", "state": {"count": 40}},
                "final_session_state": {"count": 42},
            }
        ],
    }
    Path("cases.evalset.json").write_text(json.dumps(document))

    result = evaluated(
        "stateful:agent", "cases.evalset.json", config={"criteria": {"session_state_match": 1.0}}
    )

    assert result.passed


def test_a_run_is_isolated_from_the_command_line_and_resumed_so(capfd: pytest.CaptureFixture[str]) -> None:
    target, eval_set = (
        agent(**{"Now.": "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)"}),
        cases(before=[turn("Hello.")], during=[turn("Now.")]),
    )
    Path("test_config.json").write_text(json.dumps(CONFIG))
    command = [sys.executable, "-m", "adjudge"]

    killed = subprocess.run(
        [*command, "eval", target, eval_set, "--isolate", "--concurrency", "1", "--run", "killed"],
        check=False,
    )
    agent()
    resumed = subprocess.run([*command, "resume", "killed"], check=False)

    assert killed.returncode == -signal.SIGKILL
    assert resumed.returncode == 0
    assert "2 passed" in capfd.readouterr().out


def test_an_interrupted_run_leaves_no_process() -> None:
    target = agent(**{"Now.": "open('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)"})
    eval_set = cases(during=[turn("Now.")])
    Path("test_config.json").write_text(json.dumps(CONFIG))
    running = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "eval", target, eval_set, "--isolate", "--run", "stopped"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(lambda: Path("pid").exists() and Path("pid").read_text() != "")
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=60)

    assert running.returncode == 130, told
    assert "adjudge resume stopped" in told
    assert is_gone(int(Path("pid").read_text()))


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.05)
