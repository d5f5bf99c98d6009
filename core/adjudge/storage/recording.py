"""Recordings: the judge calls of a run in a file, to be answered from again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from adjudge.errors import InputError, Problem, RunError
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply
from adjudge.storage.payloads import packed, unpacked

_FORMAT: Final = 0x61646A31  # "adj1", in SQLite's application_id
_SCHEMA: Final = f"""
PRAGMA application_id = {_FORMAT};
CREATE TABLE questions (
    key TEXT NOT NULL, model TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (key, model)
) WITHOUT ROWID;
CREATE TABLE replies (
    key TEXT NOT NULL, model TEXT NOT NULL, sample INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (key, model, sample)
) WITHOUT ROWID;
"""


class RecordingFile:
    """A recording that is being made, or that is answered from. It holds no key and no address."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Wrap an open connection. Use ``create``, ``extend`` or ``open``."""
        self._path = path
        self._connection = connection

    @classmethod
    def create(cls, path: Path) -> Self:
        """Begin a recording.

        Raises:
            RunError: the file exists, or cannot be written.
        """
        try:
            path.open("xb").close()
        except FileExistsError:
            raise RunError(f"{path} exists; a recording is not written over another file") from None
        except OSError as error:
            raise RunError(f"the recording {path} cannot be written: {error.strerror}") from None
        connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
        connection.executescript(_SCHEMA)
        return cls(path, connection)

    @classmethod
    def extend(cls, path: Path) -> Self:
        """Go on with a recording, or begin it where there is none.

        Raises:
            RunError: the file cannot be written, or is no recording.
        """
        if not path.exists():
            return cls.create(path)
        try:
            return cls.open(path)
        except InputError as error:
            raise RunError(str(error)) from None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Answer from a recording.

        Raises:
            InputError: there is no such file, or it is no recording.
        """
        if not path.is_file():
            raise InputError(Problem(what="there is no such recording", file=str(path)))
        connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
        try:
            (found,) = connection.execute("PRAGMA application_id").fetchone()
        except sqlite3.DatabaseError:
            found = None
        if found != _FORMAT:
            connection.close()
            hint = "Make one with: adjudge eval … --record FILE"
            raise InputError(Problem(what="is not a recording of judge calls", file=str(path), hint=hint))
        return cls(path, connection)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add_question(self, key: str, models: Sequence[str]) -> None:
        """Note who is asked a question.

        Raises:
            RunError: the file cannot be written.
        """
        self._write(
            "INSERT OR IGNORE INTO questions VALUES (?, ?, ?)",
            [(key, model, position) for position, model in enumerate(models)],
        )

    def add_reply(self, key: str, model: str, sample: int, data: bytes) -> None:
        """Record an answer.

        Raises:
            RunError: the file cannot be written.
        """
        self._write("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", [(key, model, sample, packed(data))])

    def models(self, key: str) -> tuple[str, ...]:
        """Who was asked a question, in the order of the panel."""
        rows = self._connection.execute("SELECT model FROM questions WHERE key = ? ORDER BY position", (key,))
        return tuple(model for (model,) in rows)

    def reply(self, key: str, model: str, sample: int) -> JudgeReply | None:
        """What a model answered in that vote."""
        row = self._connection.execute(
            "SELECT data FROM replies WHERE key = ? AND model = ? AND sample = ?", (key, model, sample)
        ).fetchone()
        return None if row is None else JudgeReply.model_validate_json(unpacked(row[0]))

    def fingerprint(self) -> JsonObject:
        """The hash of all replies."""
        digest = hashlib.sha256()
        for row in self._connection.execute("SELECT key, model, sample, data FROM replies ORDER BY 1, 2, 3"):
            digest.update(repr((*row[:3], unpacked(row[3]))).encode())
        return {"recording": digest.hexdigest()}

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            with self._connection:
                self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise RunError(f"the recording {self._path} cannot be written: {error}") from error
