"""Facts learned about judges: one SQLite file of the installation with the newest note of each judge."""

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
    """The result of measuring a judge on one criterion, as a message for people."""

    judge: str
    """As ``provider/model``."""
    criterion: str
    """The criterion's component, as ``plugin/component``."""
    criterion_version: int
    summary: str
    """One line, for the listing of judges."""
    warnings: tuple[str, ...] = ()
    """Warnings for runs with this judge and this criterion."""
    facts: JsonObject = {}
    """The measured values, as JSON."""


def keep_judge_note(note: JudgeNote, backend: JsonObject | None) -> None:
    """Store a measurement of a judge for the list of judges and for later runs; it replaces an older one.

    Args:
        note: The measurement.
        backend: The fingerprint of the judge's backend, from ``JudgedScore.backend``: at another address the same
            name may mean another model.

    Raises:
        RunError: the note cannot be stored.
    """
    JudgeNotes().keep(note, backend)


class JudgeNotes:
    """Notes by judge, backend fingerprint, criterion, and version of the criterion.

    The fingerprint is part of the key because the same name may mean another model at another address.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Use the file at ``path``, or the one of this installation."""
        self._path = path or home() / "measured-judges.sqlite3"

    def keep(self, note: JudgeNote, fingerprint: JsonObject | None) -> None:
        """Store a note; it replaces an older one.

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
        """The note about a judge on a criterion.

        Raises:
            RunError: the file cannot be read.
        """
        place = (judge, _digest(fingerprint), criterion, version)
        where = "WHERE judge = ? AND backend = ? AND criterion = ? AND version = ?"
        return next(iter(self._read(where, place)), None)

    def everything(self) -> tuple[JudgeNote, ...]:
        """All notes, sorted by judge and criterion.

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
