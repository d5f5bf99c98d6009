"""Recordings of judge calls that somebody else made."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

import adjudge
from adjudge.errors import InputError, RunError
from adjudge.journal.recording import RecordingFile

_MADE_OTHERWISE = {
    "a view that never ends": (
        "DROP TABLE replies; CREATE VIEW replies AS "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT 'k' AS key, 'm' AS model, i AS sample, x'00' AS data FROM n;",
        "replies",
    ),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON questions BEGIN DELETE FROM replies; END;",
        "t",
    ),
    "a table too few": ("DROP TABLE failures;", "failures"),
}


@pytest.mark.parametrize(("script", "name"), _MADE_OTHERWISE.values(), ids=_MADE_OTHERWISE.keys())
def test_a_recording_that_is_made_otherwise_is_refused(tmp_path: Path, script: str, name: str) -> None:
    path = tmp_path / "calls.sqlite3"
    RecordingFile.create(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)

    turn = {"user_content": {"parts": [{"text": "a"}]}, "final_response": {"parts": [{"text": "b"}]}}
    cases = tmp_path / "some.test.json"
    cases.write_text(
        json.dumps({"eval_set_id": "some", "eval_cases": [{"eval_id": "a", "conversation": [turn]}]})
    )
    config = {"criteria": {"final_response_match_v2": 0.5}}
    with pytest.raises(
        InputError, match=rf"not a recording of judge calls.*'{name}' is not as adjudge makes it"
    ):
        adjudge.evaluate_sync(str, cases, config=config, judge=f"replay:{path}")


def test_a_reply_that_unpacks_to_gigabytes_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite3"
    RecordingFile.create(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        bomb = zlib.compress(b"[" * (80 * 1024 * 1024), 9)
        connection.execute("INSERT INTO replies VALUES ('k', 'm', 1, ?)", (bomb,))

    with (
        closing(RecordingFile.open(path)) as recording,
        pytest.raises(RunError, match=r"damaged.*67,108,864"),
    ):
        recording.reply("k", "m", 1)
