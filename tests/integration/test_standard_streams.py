"""Standard output that is closed, full or gone, signals that end the process, and text that a terminal would obey."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")

EVIL = "a\x1b[2J\x1b]0;pwned\x07\x9b31m\u202eb"
ACTED_ON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # os.write: two cases that ask at once must not mix their lines.
    (tmp_path / "bot.py").write_text(
        "import os, pathlib, time\n\ndef agent(text):\n    return text\n\ndef waits(text):\n"
        "    os.write(1, b'asked\\n')\n    time.sleep(600)\n"
    )
    for name, answer in (("good", "hello"), ("bad", "something else")):
        turn = {
            "user_content": {"parts": [{"text": "hello"}]},
            "final_response": {"parts": [{"text": answer}]},
        }
        cases = [{"eval_id": f"case-{number}", "conversation": [turn]} for number in range(2)]
        document = {"eval_set_id": "s", "eval_cases": cases}
        (tmp_path / f"{name}.evalset.json").write_text(json.dumps(document))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.8}}))
    return tmp_path


def shell(folder: Path, line: str) -> CompletedProcess[str]:
    line = line.replace("adjudge", f"{sys.executable} -m adjudge")
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(("name", "status"), [("good", 0), ("bad", 1)])
def test_a_closed_standard_output_changes_no_verdict(folder: Path, name: str, status: int) -> None:
    done = shell(folder, f"adjudge eval bot:agent {name}.evalset.json --run r --output r.json >&-")
    assert done.returncode == status, done.stderr
    assert done.stderr == ""
    assert json.loads((folder / "r.json").read_text())["summary"]["exit_status"] == status


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(("name", "status"), [("good", 3), ("bad", 1)])
def test_a_report_that_cannot_be_printed_hides_no_failure(folder: Path, name: str, status: int) -> None:
    done = shell(folder, f"adjudge eval bot:agent {name}.evalset.json >/dev/full")
    assert done.returncode == status, done.stderr
    assert "standard output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "fault" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_listing_that_cannot_be_printed_is_no_fault_of_adjudge(folder: Path) -> None:
    done = shell(folder, "adjudge evalset list good.evalset.json >/dev/full")
    assert done.returncode == 3, done.stderr
    assert done.stderr == "error: standard output cannot be written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("options", ["--help", "eval --help", "--version"])
def test_help_that_cannot_be_printed_is_no_fault_of_adjudge(folder: Path, options: str) -> None:
    done = shell(folder, f"adjudge {options} >/dev/full")
    assert done.returncode == 3, done.stderr
    assert done.stderr == "error: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize(("name", "status"), [("good", 3), ("bad", 1)])
def test_a_standard_output_that_the_agent_closes_hides_no_failure(
    folder: Path, name: str, status: int
) -> None:
    (folder / "closing.py").write_text(
        "import sys\n\ndef agent(text):\n    sys.stdout.close()\n    return text\n"
    )
    done = shell(folder, f"adjudge eval closing:agent {name}.evalset.json --output r.json")
    assert done.returncode == status, done.stderr
    assert "standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert "fault" not in done.stderr
    assert (folder / "r.json").exists()


def test_a_reader_that_goes_away_has_a_status_of_its_own(folder: Path) -> None:
    # The reader is gone before anything is printed: its end of the pipe is closed.
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "adjudge", "eval", "bot:agent", "good.evalset.json"],
            cwd=folder,
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 141
    assert done.stderr == ""


def signalled(folder: Path, number: signal.Signals, *arguments: str) -> tuple[int, str]:
    """The exit status and the complaint of a process that is sent a signal once it has printed a line."""
    with subprocess.Popen(
        [sys.executable, "-m", "adjudge", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the suite runs under nohup, its processes would ignore the signal.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        process.send_signal(number)
        try:
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, complaint


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_ends_the_process_leaves_a_run_that_can_be_resumed(
    folder: Path, adjudge_here: Cli, number: signal.Signals
) -> None:
    status, complaint = signalled(folder, number, "eval", "bot:waits", "good.evalset.json", "--run", "ended")
    assert status == 130, complaint
    assert "interrupted: 0 of 2 done. Finish with: adjudge resume ended" in complaint
    assert "Traceback" not in complaint
    assert "ended  unfinished" in adjudge_here("runs", "list").stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_process_whose_event_loop_is_blocked(folder: Path, number: signal.Signals) -> None:
    (folder / "stuck.py").write_text("import time\n\nprint('asked', flush=True)\ntime.sleep(600)\n")
    status, complaint = signalled(folder, number, "eval", "stuck:agent", "good.evalset.json")
    assert status == 130, complaint
    assert "Traceback" not in complaint


def test_an_agent_that_ignores_its_end_leaves_one_line(folder: Path) -> None:
    (folder / "deaf.py").write_text(
        "import asyncio\n\nasync def agent(text):\n    print('asked', flush=True)\n    while True:\n"
        "        try:\n            await asyncio.sleep(600)\n        except asyncio.CancelledError:\n            pass\n"
    )
    arguments = ["eval", "deaf:agent", "good.evalset.json:case-0", "--run", "ended"]
    status, complaint = signalled(folder, signal.SIGTERM, *arguments)
    assert status == 130, complaint
    assert complaint == "interrupted: 0 of 1 done. Finish with: adjudge resume ended\n"


def test_what_files_say_never_acts_on_a_terminal(folder: Path, adjudge_here: Cli) -> None:
    turn = {
        "invocation_id": EVIL,
        "user_content": {"parts": [{"text": EVIL}]},
        "final_response": {"parts": [{"text": EVIL}]},
        "intermediate_data": {"tool_uses": [{"name": EVIL, "args": {EVIL: EVIL}}]},
    }
    case = {
        "eval_id": EVIL,
        "conversation": [turn],
        "session_input": {"app_name": EVIL, "user_id": EVIL, "state": {EVIL: EVIL}},
        "rubrics": [{"rubric_id": EVIL, "rubric_content": {"text_property": EVIL}}],
    }
    name = f"{EVIL}.evalset.json".replace("/", "")
    document = {"eval_set_id": EVIL, "eval_cases": [case], "x" + EVIL: 1}
    (folder / name).write_text(json.dumps(document))
    plain = [
        ["evalset", "show", name],
        ["evalset", "list", name],
        ["evalset", "validate", name],
        ["evalset", "migrate", name, "new.evalset.json"],
        ["evalset", "show", f"nothing{EVIL}"],
        ["eval", "bot:agent", name, "--run", "r", "--print_detailed_results"],
        ["eval", f"bot{EVIL}:agent", name],
        ["eval", "bot:agent", name, f"--no-such-{EVIL}"],
        ["judge", name, "--criteria", EVIL],
        ["runs", "show", EVIL],
        ["runs", "list"],
        ["criteria", EVIL],
        ["agreement", name, name],
    ]
    for command in plain:
        done = adjudge_here(*command)
        assert not ACTED_ON.search(done.stdout + done.stderr), (command, done.stdout + done.stderr)
    shown = adjudge_here("evalset", "show", name, "--json")
    assert not ACTED_ON.search(shown.stdout)
    assert json.loads(shown.stdout)[0]["eval_id"] == EVIL
