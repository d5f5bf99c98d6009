"""Recordings: files with the judge calls of a run, from which a later run can be answered."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from adjudge.errors import InputError, JudgeError, JudgeErrorCode, Problem, RunError
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
_CONTEXTS: Final = {
    "contexts": "CREATE TABLE contexts (model TEXT NOT NULL PRIMARY KEY, tokens INTEGER) WITHOUT ROWID"
}
"""Added in version 0.2; older recordings do not have this table."""
_LARGEST_REPLY: Final = 64 * 1024 * 1024  # bytes; limits the memory that a malicious compressed reply can use


class RecordingFile:
    """A recording, for writing or for answering. It contains no API keys and no addresses."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Wrap an open connection. Use ``create``, ``extend`` or ``open``."""
        self._path = path
        self._connection = connection
        self._contexts: dict[str, int | None] = {}

    @classmethod
    def create(cls, path: Path) -> Self:
        """Create a recording.

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
            for table in (_TABLES | _CONTEXTS).values():
                connection.execute(table)
        except sqlite3.Error as error:
            connection.close()
            raise RunError(f"the recording {path} cannot be written: {error}") from None
        return cls(path, connection)

    @classmethod
    def extend(cls, path: Path) -> Self:
        """Continue a recording, or create a new one.

        Raises:
            RunError: the file cannot be written, or is not a recording.
        """
        if not path.exists():
            return cls.create(path)
        try:
            return cls.open(path)
        except InputError as error:
            raise RunError(str(error)) from None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a recording for answering.

        Raises:
            InputError: there is no such file, or it is not a recording.
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
        """Record which models are asked a question.

        Raises:
            RunError: the file cannot be written.
        """
        self._write(
            "INSERT OR IGNORE INTO questions VALUES (?, ?, ?)",
            [(key, model, position) for position, model in enumerate(models)],
        )

    def add_contexts(self, contexts: Mapping[str, int | None]) -> None:
        """Record the token limits of models; ``None`` if unknown.

        Raises:
            RunError: the file cannot be written.
        """
        new = {model: tokens for model, tokens in contexts.items() if model not in self._contexts}
        if new:
            for table in _CONTEXTS.values():
                self._write(table.replace("TABLE", "TABLE IF NOT EXISTS"), [()])
            self._write("INSERT OR REPLACE INTO contexts VALUES (?, ?)", list(new.items()))
            self._contexts |= new

    def add_reply(self, key: str, model: str, sample: int, data: bytes) -> None:
        """Record an answer.

        Raises:
            RunError: the file cannot be written.
        """
        self._write("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", [(key, model, sample, packed(data))])

    def add_failure(self, key: str, model: str, sample: int, code: JudgeErrorCode, message: str) -> None:
        """Record the failure of a call; an answer recorded later takes precedence.

        Raises:
            RunError: the file cannot be written.
        """
        self._write(
            "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?)",
            [(key, model, sample, code, message)],
        )

    def models(self, key: str) -> tuple[str, ...]:
        """The models that were asked a question, in the order of the panel.

        Raises:
            RunError: the file is damaged.
        """
        rows = self._read("SELECT model FROM questions WHERE key = ? ORDER BY position", (key,))
        return tuple(model for (model,) in rows)

    def reply(self, key: str, model: str, sample: int) -> JudgeReply | None:
        """The recorded answer of a model to one vote; ``None`` if there is none.

        Raises:
            JudgeError: the recorded call failed too.
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

    def context(self) -> int | None:
        """The smallest token limit of the recorded models; ``None`` if one is unknown.

        Raises:
            RunError: the file is damaged.
        """
        if not list(self._read("SELECT 1 FROM sqlite_master WHERE name = 'contexts'", ())):
            return None
        found = [tokens for (tokens,) in self._read("SELECT tokens FROM contexts", ())]
        known = [tokens for tokens in found if isinstance(tokens, int) and tokens > 0]
        return min(known) if known and len(known) == len(found) else None

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
    """The reason why a database is not a recording; ``None`` if it is one.

    Recordings are untrusted, so they may have only the tables of ``create``: a view in place of a table could run
    without end, and triggers or expressions would be executed here.
    """
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    if found != _FORMAT:
        return "it has another application id"
    made = dict(connection.execute("SELECT name, sql FROM sqlite_master"))
    known = _TABLES | {name: sql for name, sql in _CONTEXTS.items() if name in made}
    odd = [name for name in {**known, **made} if made.get(name) != known.get(name)]
    return f"{odd[0]!r} is not as adjudge makes it" if odd else None


def _prepare(connection: sqlite3.Connection) -> None:
    # A single file without a write-ahead log can be copied and committed to a repository. A killed process loses
    # nothing; waiting for the disk after every answer would only protect against a loss of power.
    connection.execute("PRAGMA synchronous=OFF")
