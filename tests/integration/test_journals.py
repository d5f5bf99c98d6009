"""Journals: whole or not there whenever a process dies, unchanged when they are shown, and never a traceback."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import adjudge as adjudge_package

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bot.py").write_text("def agent(text):\n    return text\n")
    cases = [
        {
            "eval_id": f"case-{number}",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": f"hello {number} " * 40}]},
                    "final_response": {"parts": [{"text": f"hello {number} " * 40}]},
                }
            ],
        }
        for number in range(3)
    ]
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.8}}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def runs(folder: Path) -> Path:
    return folder / "adjudge-home" / "runs"


# Dies at its Nth access to a file in the folder of runs, in a child process for each N, until one survives.
DYING_EVERYWHERE = """
import os, sys
import adjudge
from adjudge.errors import RunError

survived, number = False, 0
while not survived:
    number += 1
    child = os.fork()
    if child == 0:
        seen = 0
        def die(event, arguments):
            global seen
            if event.partition(".")[0] in ("open", "sqlite3", "os") and "runs" in str(arguments[:2]):
                seen += 1
                if seen == number:
                    os._exit(9)
        sys.addaudithook(die)
        adjudge.evaluate_sync("bot:agent", "set.test.json", run=f"r{number}")
        os._exit(0)
    survived = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print(number)
"""


def test_a_run_that_dies_while_it_begins_can_be_begun_again_or_resumed(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DYING_EVERYWHERE], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    tried = int(done.stdout)
    assert tried > 5
    for number in range(1, tried + 1):
        name = f"r{number}"
        try:
            result = adjudge_package.evaluate_sync(lambda text: text, "set.test.json", run=name)
        except adjudge_package.RunError as error:
            assert "exists" in str(error)
            result = adjudge_package.resume_sync(name)
        assert result.passed
    assert not list(runs(folder).glob("*.new*"))


def test_showing_a_run_changes_nothing(folder: Path, adjudge_here: Cli) -> None:
    assert adjudge_here("eval", "bot:agent", "set.test.json", "--run", "r").returncode == 0
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in runs(folder).iterdir()}
    assert {path.name for path in before} == {"r.sqlite3", "r.sqlite3.lock"}
    assert adjudge_here("runs", "show", "r", "--print_detailed_results").returncode == 0
    assert adjudge_here("runs", "list").returncode == 0
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in runs(folder).iterdir()} == before


def shrunk(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes()[:5000])


def overwritten(journal: Path) -> None:
    data = journal.read_bytes()
    journal.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def changed(statement: str) -> Callable[[Path], None]:
    def change(journal: Path) -> None:
        connection = sqlite3.connect(journal)
        with connection:
            connection.execute(statement)
        connection.close()

    return change


DAMAGES = {
    "shrunk": shrunk,
    "overwritten": overwritten,
    "empty": lambda journal: journal.write_bytes(b""),
    "no meta": changed("DELETE FROM meta WHERE key = 'run'"),
    "meta is no JSON": changed("UPDATE meta SET value = '{' WHERE key = 'files'"),
    "version is no JSON": changed("UPDATE meta SET value = '{' WHERE key = 'schema_version'"),
    "meta of another shape": changed("UPDATE meta SET value = '[1, 2]'  WHERE key IN ('run', 'request')"),
    "results are no zlib": changed("UPDATE attempts SET result = x'78ff'"),
    "results are no results": changed("UPDATE attempts SET result = '{}'"),
    "trajectories are no JSON": changed("UPDATE attempts SET trajectory = 'nonsense'"),
    "no table": changed("DROP TABLE planned"),
    "planned cases are gone": changed("DELETE FROM planned WHERE case_no = 1"),
    "the last planned case is gone": changed("DELETE FROM planned WHERE case_no = 2"),
    "a case that nobody planned": changed("INSERT INTO planned VALUES (3, 'case-3', NULL, NULL)"),
    "results of another case": changed("UPDATE cases SET eval_id = 'case-1'"),
    "a repeat that nobody planned": changed("UPDATE attempts SET repeat = 2 WHERE case_no = 1"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_a_message(folder: Path, adjudge_here: Cli, damage: str) -> None:
    assert adjudge_here("eval", "bot:agent", "set.test.json", "--run", "whole").returncode == 0
    assert adjudge_here("eval", "bot:agent", "set.test.json", "--run", "broken").returncode == 0
    DAMAGES[damage](runs(folder) / "broken.sqlite3")

    shown = adjudge_here("runs", "show", "broken", "--print_detailed_results")
    assert "Traceback" not in shown.stderr
    assert "broken.sqlite3" in shown.stderr
    assert "damaged" in shown.stderr
    assert shown.returncode in (2, 3)
    resumed = adjudge_here("resume", "broken")
    assert "Traceback" not in resumed.stderr
    assert resumed.returncode in ((0, 2) if damage == "trajectories are no JSON" else (2,))

    listed = adjudge_here("runs", "list")
    assert listed.returncode == 0
    assert "Traceback" not in listed.stderr
    assert "whole  finished" in listed.stdout
    if "unreadable" in listed.stdout:
        assert "broken.sqlite3" in listed.stderr


def test_a_link_that_leads_nowhere_does_not_hide_the_other_runs(folder: Path, adjudge_here: Cli) -> None:
    assert adjudge_here("eval", "bot:agent", "set.test.json", "--run", "whole").returncode == 0
    (runs(folder) / "gone.sqlite3").symlink_to(folder / "nowhere")
    listed = adjudge_here("runs", "list")
    assert listed.returncode == 0, listed.stderr
    assert "whole  finished" in listed.stdout
    assert os.path.lexists(runs(folder) / "gone.sqlite3")


def test_a_run_of_another_version_says_what_to_do(tmp_path: Path, adjudge: Cli) -> None:
    folder = tmp_path / "adjudge-home" / "runs"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "old.sqlite3")) as connection, connection:
        connection.executescript(
            "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
            "INSERT INTO meta VALUES ('schema_version', '2');"
        )
    for command in (("resume", "old"), ("runs", "show", "old")):
        done = adjudge(*command)
        assert done.returncode == 2
        assert "another version of adjudge" in done.stderr
        assert "run it again under another name" in done.stderr
    assert "another version of adjudge" in adjudge("runs", "list").stderr


def test_a_finished_run_is_read_as_it_ended_and_fails_where_results_are_gone_since(folder: Path) -> None:
    ended = adjudge_package.evaluate_sync("bot:agent", "set.test.json", run="kept")
    with adjudge_package.read_run("kept") as report:
        assert report.summary == ended.summary
        assert report.summary.status == "PASS"
    changed("DELETE FROM attempts WHERE case_no = 2")(ended.journal)
    with adjudge_package.read_run("kept") as report:
        assert report.summary.status == "error"
        assert report.summary.counts == {"PASS": 2, "error": 1}
