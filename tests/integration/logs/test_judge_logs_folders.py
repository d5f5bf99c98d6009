"""Folders of logs: what was not looked at, what was not read, and where each problem is, are said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, TypeAlias

import pytest

Command: TypeAlias = Callable[..., CompletedProcess[str]]

ASKED = {"role": "user", "content": "Buy milk"}
RUN = {"messages": [{**ASKED, "name": "ann"}, {"role": "assistant", "content": "Done."}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "criteria.json").write_text('[{"criterion": "step_count", "maximum": 9}]')
    return logs


def warnings_of(report: Path) -> Any:
    return json.loads(report.read_text())["warnings"]


def test_files_of_a_folder_that_were_not_looked_at_are_counted(folder: Path, adjudge_here: Command) -> None:
    for name in ("a.parquet", "b.LOG", "c.txt", "d.txt", "e.log.gz", "README"):
        (folder / name).write_text("?")
    (folder / "x.yaml").write_text((folder.parent / "criteria.json").read_text())
    (folder / "more.ndjson").write_text(json.dumps(RUN) + "\n")

    done = adjudge_here(
        "judge", "logs", "--criteria", "logs/x.yaml", "--output", "logs/r.xml", "--output", "r.json"
    )
    assert done.returncode == 0, done.stderr
    counted = "logs: 6 files were skipped because of the suffix: 2 with .txt, "
    assert counted in " ".join(done.stdout.split())
    [warning] = warnings_of(folder.parent / "r.json")
    assert warning.startswith(counted)
    assert {"1 with .parquet", "1 with .LOG", "1 with .log.gz", "1 without a suffix"} <= set(
        warning.removeprefix(counted).removesuffix("; to read a file, name it").split(", ")
    )
    assert "logs/more.ndjson" in done.stdout

    again = adjudge_here("judge", "logs", "--criteria", "logs/x.yaml", "--output", "logs/r.xml")
    assert counted in " ".join(again.stdout.split()), "the report of an earlier run is not counted"


def test_a_folder_of_nothing_but_other_files_is_refused_with_their_endings(
    tmp_path: Path, adjudge_here: Command
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.parquet").write_text("?")
    done = adjudge_here("judge", "logs", "--aggregate-only")
    assert done.returncode == 2
    assert "logs: 1 file was skipped because of the suffix: 1 with .parquet" in done.stderr
    assert "there is no log in this folder" in done.stderr
    assert ".ndjson" in done.stderr


def test_what_was_not_read_is_on_the_console(folder: Path, adjudge_here: Command) -> None:
    judged = adjudge_here("judge", "logs/run.json", "--criteria", "criteria.json")
    assert "not read  name of the user's messages" in judged.stdout
    aggregated = adjudge_here("judge", "logs/run.json", "--aggregate-only")
    assert "not read  name of the user's messages" in aggregated.stdout


def test_of_many_losses_the_first_are_told(folder: Path, adjudge_here: Command) -> None:
    chat = [{"name": "a", "role": "user", "content": "Go on."}]
    (folder / "run.json").write_text(json.dumps({"chat_history": chat, **dict.fromkeys("pqrstu", 1)}))
    done = adjudge_here("judge", "logs/run.json", "--aggregate-only")
    told = " ".join(done.stdout.split())
    assert "not read actions: the log records no calls" in told
    assert "'q' of the chat; and 4 more" in told


def test_what_was_not_read_of_a_recording_is_on_the_console(folder: Path, adjudge_here: Command) -> None:
    turn = {
        "user_content": {"parts": [{"text": "Buy milk"}]},
        "final_response": {"parts": [{"text": "Done."}]},
    }
    cases = {"eval_set_id": "s", "eval_cases": [{"eval_id": "run", "conversation": [turn]}]}
    (folder / "s.evalset.json").write_text(json.dumps(cases))
    (folder / "test_config.json").write_text('{"criteria": {"response_match_score": 0.5}}')
    done = adjudge_here("eval", "recorded:logs/run.json", "logs/s.evalset.json", "--output", "r.json")
    assert done.returncode == 0, done.stderr + done.stdout
    told = "logs/run.json: not read: name of the user's messages (1 of the recordings)"
    assert told in " ".join(done.stdout.split())
    assert told in warnings_of(folder.parent / "r.json")


def test_every_problem_names_its_file(folder: Path, adjudge_here: Command) -> None:
    (folder / "cut.traj").write_text('{"trajectory": [{"action": "ls", "thought": "I lo')
    (folder / "mixed.json").write_text(json.dumps([ASKED, 7]))
    done = adjudge_here("judge", "logs", "--criteria", "criteria.json")
    assert "cut.traj:1:" in done.stdout
    assert "mixed.json:1, $[1]: found no message among messages" in done.stdout


def test_what_readers_looked_for_is_told_once(folder: Path, adjudge_here: Command) -> None:
    for name in ("a.json", "b.json"):
        (folder / name).write_text('{"foo": 1}')
    (folder / "run.json").unlink()
    done = adjudge_here("judge", "logs", "--aggregate-only")
    assert done.returncode == 2
    assert done.stderr.count("Tried:") == 1
    assert "b.json: no trace reader knows this format" in done.stderr.splitlines()[-1]
