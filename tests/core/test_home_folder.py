"""Where adjudge keeps what it stores, and who else can read it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

import adjudge

CONFIG = {"criteria": {"response_match_score": 0.5}}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "hi"}]}}
    case = {"eval_id": "hi", "conversation": [turn]}
    (tmp_path / "hi.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
    return tmp_path


def run() -> Path:
    result = adjudge.evaluate_sync(str.lower, "hi.test.json", config=CONFIG)
    assert result.passed
    return result.journal


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_in_the_working_folder_is_private_and_ignored_by_git(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ADJUDGE_HOME")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)

    run()

    assert permissions(folder / ".adjudge") == 0o700
    told = subprocess.run(
        ["git", "status", "--porcelain"], cwd=folder, check=True, capture_output=True, text=True
    )
    assert ".adjudge" not in told.stdout


def test_a_folder_of_an_earlier_version_becomes_private_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ADJUDGE_HOME")
    (folder / ".adjudge").mkdir(mode=0o755)
    run()
    assert permissions(folder / ".adjudge") == 0o700
    # Who opens it afterwards wants it so.
    (folder / ".adjudge").chmod(0o750)
    run()
    assert permissions(folder / ".adjudge") == 0o750


def test_a_folder_that_the_user_made_stays_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = folder / "shared"
    shared.mkdir(mode=0o755)
    monkeypatch.setenv("ADJUDGE_HOME", str(shared))

    run()

    assert permissions(shared) == 0o755
    assert not (shared / ".gitignore").exists()


def test_the_home_of_the_user_may_be_written_as_a_tilde(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder / "ann"))
    monkeypatch.setenv("ADJUDGE_HOME", "~/results")

    journal = run()

    assert journal.is_relative_to(folder / "ann" / "results")
    assert permissions(folder / "ann" / "results") == 0o700
    assert not (folder / "~").exists()


def test_the_home_of_nobody_is_a_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_HOME", "~nobody-of-this-name/results")

    with pytest.raises(adjudge.InputError, match="ADJUDGE_HOME is '~nobody-of-this-name/results'"):
        run()
