"""Recordings: the judge calls of a run in a file, to be answered from again."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

from adjudge.errors import InputError, JudgeError, Problem, RunError
from adjudge.journal.compression import packed, unpacked
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply

_FORMAT: Final = 0x61646A31  # "adj1", in SQLite's application_id
_TABLES: Final = {
    "questions": """CREATE TABLE questions (
    key TEXT NOT NULL, model TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (key, model)
) WITHOUT ROWID""",
    "replies": """CREATE TABLE replies (
    key TEXT NOT NULL, model TEXT NOT NULL, sample INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (key, model, sample)
) WITHOUT ROWID""",
    "failures": """CREATE TABLE failures (
    key TEXT NOT NULL, model TEXT NOT NULL, sample INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (key, model, sample)
) WITHOUT ROWID""",
}
_LARGEST_REPLY: Final = 64 * 1024 * 1024  # bytes; a few of the file's own could unpack to as many gigabytes


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
        try:
            _prepare(connection)
            connection.execute(f"PRAGMA application_id = {_FORMAT}")
            for table in _TABLES.values():
                connection.execute(table)
        except sqlite3.Error as error:
            connection.close()
            raise RunError(f"the recording {path} cannot be written: {error}") from None
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
            _prepare(connection)
            fault = _fault(connection)
        except sqlite3.Error as error:
            fault = str(error)
        if fault is not None:
            connection.close()
            hint = "Make one with: adjudge eval … --record FILE"
            what = f"is not a recording of judge calls, or it is damaged: {fault}"
            raise InputError(Problem(what=what, file=str(path), hint=hint))
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

    def add_failure(self, key: str, model: str, sample: int, error: JudgeError) -> None:
        """Record why there is no answer; one that comes later counts instead.

        Raises:
            RunError: the file cannot be written.
        """
        self._write(
            "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)",
            [(key, model, sample, error.code, str(error))],
        )

    def models(self, key: str) -> tuple[str, ...]:
        """Who was asked a question, in the order of the panel.

        Raises:
            RunError: the file is damaged.
        """
        rows = self._read("SELECT model FROM questions WHERE key = ? ORDER BY position", (key,))
        return tuple(model for (model,) in rows)

    def reply(self, key: str, model: str, sample: int) -> JudgeReply | None:
        """What a model answered in that vote.

        Raises:
            JudgeError: it could not be had then either.
            RunError: the file is damaged.
        """
        place = (key, model, sample)
        for (data,) in self._read(
            "SELECT data FROM replies WHERE key = ? AND model = ? AND sample = ?", place
        ):
            try:
                return JudgeReply.model_validate_json(unpacked(data, limit=_LARGEST_REPLY))
            except (ValueError, zlib.error) as error:
                raise RunError(f"the recording {self._path} is damaged: {error}") from None
        failed = "SELECT code, message FROM failures WHERE key = ? AND model = ? AND sample = ?"
        for code, message in self._read(failed, place):
            raise JudgeError(message, code=code)
        return None

    def fingerprint(self) -> JsonObject:
        """The hash of all replies.

        Raises:
            RunError: the file is damaged.
        """
        digest = hashlib.sha256()
        for row in self._read("SELECT key, model, sample, data FROM replies ORDER BY 1, 2, 3", ()):
            digest.update(repr(row).encode())
        return {"recording": digest.hexdigest()}

    def _read(self, query: str, values: tuple[object, ...]) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._connection.execute(query, values)
        except sqlite3.Error as error:
            raise RunError(f"the recording {self._path} is damaged: {error}") from None

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            with self._connection:
                self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise RunError(f"the recording {self._path} cannot be written: {error}") from error


def _fault(connection: sqlite3.Connection) -> str | None:
    """Why a database is no recording; ``None`` where it is one.

    A recording comes from anybody. It has the tables of ``create`` and nothing else: a view in the place of
    a table need not end, and a trigger or an expression would be computed here.
    """
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    if found != _FORMAT:
        return "it has another application id"
    made = dict(connection.execute("SELECT name, sql FROM sqlite_master"))
    odd = [name for name in {**_TABLES, **made} if made.get(name) != _TABLES.get(name)]
    return f"{odd[0]!r} is not as adjudge makes it" if odd else None


def _prepare(connection: sqlite3.Connection) -> None:
    # One file without a log beside it, to be copied and committed. A process that is killed loses nothing;
    # waiting for the disk after every answer would guard against a loss of power alone.
    connection.execute("PRAGMA synchronous=OFF")
