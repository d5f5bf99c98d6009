"""What was found out about judges: one SQLite file of the installation, the newest note of each kept."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from adjudge.errors import RunError
from adjudge.extension.home_folder import home, make_folder
from adjudge.model.base import Frozen, JsonObject

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS notes_v2 ("
    "judge TEXT NOT NULL, backend TEXT NOT NULL, criterion TEXT NOT NULL, version INTEGER NOT NULL, "
    "data TEXT NOT NULL, PRIMARY KEY (judge, backend, criterion, version)) WITHOUT ROWID"
)


class JudgeNote(Frozen):
    """What was found out about a judge on one criterion, in the words of whoever found it out."""

    judge: str
    """As ``provider/model``."""
    criterion: str
    """The component, as ``plugin/component``."""
    criterion_version: int
    summary: str
    """One line, for the listing of judges."""
    warnings: tuple[str, ...] = ()
    """What a run with this judge on this criterion warns of."""
    facts: JsonObject = {}
    """The same for programs."""


def keep_judge_note(note: JudgeNote, backend: JsonObject | None) -> None:
    """Keep a note for the listing of judges and for later runs, in place of an older one.

    Args:
        note: What was found out.
        backend: Where the judge's calls went, as ``JudgedScore.backend`` has it: the same name may be another
            model elsewhere.

    Raises:
        RunError: it cannot be kept.
    """
    JudgeNotes().keep(note, backend)


class JudgeNotes:
    """Notes by judge, by where its calls go, and by criterion.

    The same name may be another model elsewhere: a note holds for the backend's fingerprint that it was
    made with, and for the version of the criterion.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Use the file at ``path``, or the one of this installation."""
        self._path = path or home() / "measured-judges.sqlite3"

    def keep(self, note: JudgeNote, fingerprint: JsonObject | None) -> None:
        """Keep a note in place of an older one.

        Raises:
            RunError: the file cannot be written.
        """
        place = (note.judge, _digest(fingerprint), note.criterion, note.criterion_version)
        try:
            make_folder(self._path.parent)
            with closing(sqlite3.connect(self._path, timeout=30)) as connection, connection:
                connection.execute(_SCHEMA)
                connection.execute(
                    "INSERT OR REPLACE INTO notes_v2 VALUES (?, ?, ?, ?, ?)",
                    (*place, note.model_dump_json()),
                )
        except (sqlite3.Error, OSError) as error:
            raise RunError(f"what was measured cannot be kept in {self._path}: {error}") from None

    def of(
        self, judge: str, fingerprint: JsonObject | None, criterion: str, version: int
    ) -> JudgeNote | None:
        """What is known of a judge on a criterion.

        Raises:
            RunError: the file cannot be read.
        """
        place = (judge, _digest(fingerprint), criterion, version)
        where = "WHERE judge = ? AND backend = ? AND criterion = ? AND version = ?"
        return next(iter(self._read(where, place)), None)

    def everything(self) -> tuple[JudgeNote, ...]:
        """Every note, by judge and criterion.

        Raises:
            RunError: the file cannot be read.
        """
        return self._read("ORDER BY judge, criterion, version, backend", ())

    def _read(self, where: str, values: tuple[object, ...]) -> tuple[JudgeNote, ...]:
        if not self._path.exists():
            return ()
        try:
            with closing(sqlite3.connect(self._path, timeout=30)) as connection:
                rows = connection.execute(f"SELECT data FROM notes_v2 {where}", values).fetchall()  # noqa: S608 - our own words
            return tuple(JudgeNote.model_validate_json(data) for (data,) in rows)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise RunError(f"what was measured cannot be read from {self._path}: {error}") from None


def _digest(fingerprint: JsonObject | None) -> str:
    return hashlib.sha256(json.dumps(fingerprint, sort_keys=True).encode()).hexdigest()
