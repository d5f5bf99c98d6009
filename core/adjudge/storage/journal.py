"""The journal: one SQLite file per run, written as results arrive.

A trajectory is committed whole, before anything is scored; every vote of a judge and every criterion's
result is committed when it is there. So a run that is killed at any moment continues with what is
missing, and reports are made from the journal alone.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

from adjudge.errors import RunError
from adjudge.storage.locations import make_folder
from adjudge.storage.payloads import packed, unpacked

SCHEMA_VERSION: Final = 2

_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE planned (case_no INTEGER PRIMARY KEY, eval_id TEXT NOT NULL);
CREATE TABLE cases (case_no INTEGER PRIMARY KEY, eval_id TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE attempts (
    case_no INTEGER NOT NULL, repeat INTEGER NOT NULL,
    trajectory BLOB NOT NULL, usage BLOB, failure BLOB, duration REAL NOT NULL,
    PRIMARY KEY (case_no, repeat)
) WITHOUT ROWID;
CREATE TABLE scores (
    case_no INTEGER NOT NULL, repeat INTEGER NOT NULL, criterion_no INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (case_no, repeat, criterion_no)
) WITHOUT ROWID;
"""
_REPLIES: Final = """
CREATE TABLE IF NOT EXISTS replies (
    key BLOB NOT NULL, sample INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (key, sample)
) WITHOUT ROWID;
"""
"""Apart from the rest: a run that was begun before there were judges has no such table."""


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """One repeat of one case as the journal holds it; payloads are JSON.

    The two large ones are unpacked when they are asked for: a summary needs neither.
    """

    case_no: int
    repeat: int
    eval_id: str
    _case: bytes
    _trajectory: bytes
    usage: bytes | None
    failure: bytes | None
    duration: float
    """Seconds."""
    scores: Mapping[int, bytes]
    """Criterion number to result."""

    @property
    def case(self) -> bytes:
        """The case."""
        return unpacked(self._case)

    @property
    def trajectory(self) -> bytes:
        """What the agent did."""
        return unpacked(self._trajectory)


_AttemptRow: TypeAlias = tuple[int, int, str, bytes, bytes, bytes | None, bytes | None, float]


class Journal:
    """One run's file. One process writes it; any number may read."""

    def __init__(self, path: Path, connection: sqlite3.Connection, claim: sqlite3.Connection | None) -> None:
        """Wrap an open connection. Use ``create``, ``open_for_resume`` or ``open_to_read``."""
        self.path = path
        self._connection = connection
        self._claim = claim

    @classmethod
    def create(cls, path: Path, meta: Mapping[str, Any], eval_ids: Iterable[str] = ()) -> Self:
        """Begin a run.

        Args:
            path: The new file.
            meta: JSON values under their keys.
            eval_ids: The cases of the plan in its order, so that what was never run is known too.

        Raises:
            RunError: a run of that name exists, or the file cannot be written.
        """
        try:
            make_folder(path.parent)
            # Exclusive creation decides between two processes that choose the same name.
            path.open("xb").close()
        except FileExistsError:
            raise RunError(
                f"a run named {path.stem!r} exists. Choose another name with --run, "
                f"or finish that one with: adjudge resume {path.stem}"
            ) from None
        except OSError as error:
            raise RunError(f"cannot write the journal {path}: {error.strerror}") from None
        claim = _locked(path)
        connection = _open(path)
        journal = cls(path, connection, claim)
        try:
            _prepare(connection)
            connection.executescript(_SCHEMA + _REPLIES)
            with connection:
                connection.executemany("INSERT INTO planned VALUES (?, ?)", enumerate(eval_ids))
            journal.set_meta({"schema_version": SCHEMA_VERSION, **meta})
        except (sqlite3.Error, RunError) as error:
            # The disk is full, for instance. Half a journal would be no run, and keep its name.
            journal.close()
            for left in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", ".lock"))):
                left.unlink(missing_ok=True)
            raise RunError(f"cannot write the journal {path}: {error.__cause__ or error}") from None
        return journal

    @classmethod
    def open_for_resume(cls, path: Path) -> Self:
        """Continue a run.

        Raises:
            RunError: there is no such run, it is being written by another process, or not readable.
        """
        _must_exist(path)
        claim = _locked(path)
        try:
            connection = _connected(path)
            connection.executescript(_REPLIES)
        except BaseException:
            claim.close()
            raise
        return cls(path, connection, claim)

    @classmethod
    def open_to_read(cls, path: Path) -> Self:
        """Read a run, finished or not.

        Raises:
            RunError: there is no such run, or the file is not a journal of this version.
        """
        _must_exist(path)
        return cls(path, _connected(path), None)

    def close(self) -> None:
        """Close the file and release it."""
        self._connection.close()
        if self._claim is not None:
            self._claim.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing ----------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Generator[None]:
        """Make one transaction; everything in it is committed or nothing."""
        try:
            with self._connection:
                yield
        except sqlite3.Error as error:
            raise RunError(
                f"the journal {self.path} cannot be written: {error}\n"
                f"  What is finished is safe; go on with: adjudge resume {self.path.stem}"
            ) from error

    def set_meta(self, values: Mapping[str, Any]) -> None:
        """Store JSON values under their keys."""
        rows = [(key, json.dumps(value, ensure_ascii=False)) for key, value in values.items()]
        with self._writing():
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def add_attempt(
        self,
        case_no: int,
        repeat: int,
        *,
        eval_id: str,
        case: bytes,
        trajectory: bytes,
        usage: bytes | None,
        failure: bytes | None,
        duration: float,
    ) -> None:
        """Commit what the agent did in one repeat of one case, whole."""
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO cases VALUES (?, ?, ?)", (case_no, eval_id, packed(case))
            )
            self._connection.execute(
                "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?)",
                (case_no, repeat, packed(trajectory), usage, failure, duration),
            )

    def add_score(self, case_no: int, repeat: int, criterion_no: int, data: bytes) -> None:
        """Commit the result of one criterion on one repeat of one case."""
        with self._writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)",
                (case_no, repeat, criterion_no, packed(data)),
            )

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        """Commit one reply of a judge, so that a resumed run repeats no vote."""
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", (bytes.fromhex(key), sample, packed(data))
            )

    def forget_attempts(self, attempts: Iterable[tuple[int, int]]) -> None:
        """Remove attempts that are to be made again, with their scores."""
        rows = list(attempts)
        with self._writing():
            self._connection.executemany("DELETE FROM scores WHERE case_no = ? AND repeat = ?", rows)
            self._connection.executemany("DELETE FROM attempts WHERE case_no = ? AND repeat = ?", rows)

    def forget_scores(self, scores: Iterable[tuple[int, int, int]]) -> None:
        """Remove results that are to be made again."""
        with self._writing():
            self._connection.executemany(
                "DELETE FROM scores WHERE case_no = ? AND repeat = ? AND criterion_no = ?", list(scores)
            )

    # --- reading ----------------------------------------------------------------------

    def meta(self) -> dict[str, Any]:
        """Everything stored by ``set_meta``."""
        return {
            key: json.loads(value) for key, value in self._connection.execute("SELECT key, value FROM meta")
        }

    def reply(self, key: str, sample: int) -> bytes | None:
        """A reply of a judge that was committed, as JSON.

        Raises:
            RunError: the file cannot be read.
        """
        try:
            row: tuple[bytes] | None = self._connection.execute(
                "SELECT data FROM replies WHERE key = ? AND sample = ?", (bytes.fromhex(key), sample)
            ).fetchone()
            return None if row is None else unpacked(row[0])
        except (sqlite3.Error, zlib.error) as error:
            raise RunError(f"the journal {self.path} cannot be read: {error}") from error

    def count(self) -> int:
        """How many repeats of cases are there."""
        row: tuple[int] = self._connection.execute("SELECT count(*) FROM attempts").fetchone()
        return row[0]

    def planned(self) -> Iterator[tuple[int, str]]:
        """Number and ``eval_id`` of every case of the plan, in its order."""
        yield from self._connection.cursor().execute("SELECT case_no, eval_id FROM planned ORDER BY case_no")

    def attempts(self) -> Iterator[StoredAttempt]:
        """Every attempt in the order of the plan, one at a time."""
        query = (
            "SELECT case_no, repeat, eval_id, c.data, trajectory, usage, failure, duration "
            "FROM attempts JOIN cases AS c USING (case_no) ORDER BY case_no, repeat"
        )
        # Cursors of their own, so that a slow reader does not hold up a writer's statements.
        scores = self._connection.cursor()
        row: _AttemptRow
        for row in self._connection.cursor().execute(query):
            found = scores.execute(
                "SELECT criterion_no, data FROM scores WHERE case_no = ? AND repeat = ?", row[:2]
            )
            yield StoredAttempt(*row, {number: unpacked(data) for number, data in found})


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=30, check_same_thread=False)


def _prepare(connection: sqlite3.Connection) -> None:
    # With a write-ahead log a killed process loses nothing that was committed, readers do not block the
    # writer, and a commit costs microseconds.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _connected(path: Path) -> sqlite3.Connection:
    """A connection to a journal that exists, or the reason why it cannot be one."""
    connection = _open(path)
    try:
        _prepare(connection)
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    except sqlite3.Error as error:
        connection.close()
        raise RunError(f"{path} is not a journal of adjudge: {error}") from None
    version = None if row is None else json.loads(row[0])
    if version != SCHEMA_VERSION:
        connection.close()
        raise RunError(f"{path} has journal version {version}; this adjudge reads version {SCHEMA_VERSION}")
    return connection


def _must_exist(path: Path) -> None:
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob("*.sqlite3"))
        listed = f" Runs here: {', '.join(known[-10:])}." if known else " There are no runs here."
        raise RunError(f"no run named {path.stem!r} in {path.parent}.{listed}")


def _locked(path: Path) -> sqlite3.Connection:
    """Claim a run for this process.

    The claim is an open transaction on a database beside the journal: it ends with the process however
    that ends, and leaves the journal itself free for readers.
    """
    claim = sqlite3.connect(f"{path}.lock", timeout=0, isolation_level=None, check_same_thread=False)
    try:
        claim.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        claim.close()
        raise RunError(f"run {path.stem!r} is being written by another process") from None
    return claim
