"""The journal: one SQLite file per run, written as results arrive.

Trajectories are committed as a whole; votes of judges and results of criteria are committed as they arrive. A killed
run can therefore be resumed with the missing parts, and reports need only the journal.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeAlias

from adjudge.errors import RunError
from adjudge.extension.home_folder import make_folder
from adjudge.journal.compression import packed, unpacked
from adjudge.journal.journal_file import (
    SCHEMA_VERSION,
    claimed,
    must_exist,
    new_file,
    open_existing,
    open_to_write,
    put_in_place,
    remove_unfinished,
    unfinished_path,
)

_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE planned (
    case_no INTEGER PRIMARY KEY, eval_id TEXT NOT NULL, log_no INTEGER, run INTEGER
);
CREATE TABLE logs_read (log_no INTEGER PRIMARY KEY, runs INTEGER NOT NULL);
CREATE TABLE cases (case_no INTEGER PRIMARY KEY, eval_id TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE attempts (
    case_no INTEGER NOT NULL, repeat INTEGER NOT NULL, result BLOB NOT NULL, trajectory BLOB NOT NULL,
    PRIMARY KEY (case_no, repeat)
) WITHOUT ROWID;
CREATE TABLE replies (
    key BLOB NOT NULL, sample INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (key, sample)
) WITHOUT ROWID;
"""


Place: TypeAlias = tuple[int, int]
"""Case number, from 0, and repeat, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One repeat of one case: the trajectory, and the result so far; payloads are JSON."""

    place: Place
    eval_id: str
    case: bytes
    trajectory: bytes
    result: bytes
    log: tuple[int, int | None] | None = None
    """For a run in a log: the index of the log, and the number of the run in it."""


class StoredAttempt(NamedTuple):
    """An attempt in the journal. Its JSON payloads are decompressed on access."""

    case_no: int
    repeat: int
    eval_id: str
    packed_result: bytes
    packed_case: bytes
    packed_trajectory: bytes

    @property
    def place(self) -> Place:
        """Case number, from 0, and repeat, from 1."""
        return self[:2]

    @property
    def result(self) -> bytes:
        """The result so far, as JSON."""
        return unpacked(self.packed_result)

    @property
    def case(self) -> bytes:
        """The case, as JSON."""
        return unpacked(self.packed_case)

    @property
    def trajectory(self) -> bytes:
        """The trajectory, as JSON."""
        return unpacked(self.packed_trajectory)


class Journal:
    """The journal file of one run. One process can write it while any number of processes read it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, claim: sqlite3.Connection | None) -> None:
        """Wrap an open connection. Use ``create``, ``open_for_resume`` or ``open_to_read``."""
        self.path = path
        self._connection = connection
        self._claim = claim

    @classmethod
    def create(cls, path: Path, meta: Mapping[str, Any], eval_ids: Iterable[str] = ()) -> Self:
        """Create the journal of a new run.

        Args:
            path: The new file.
            meta: JSON values by key.
            eval_ids: All cases in the order of the plan, so that cases that were never run are known too.


        Raises:
            RunError: a run of that name exists, or the file cannot be written.
        """
        taken = RunError(
            f"a run named {path.stem!r} exists. Choose another name with --run, "
            f"or finish that one with: adjudge resume {path.stem}"
        )
        # Create it under another name and link it to its path: if the process dies, there is no partial journal.
        unfinished = unfinished_path(path)
        claim: sqlite3.Connection | None = None
        try:
            make_folder(path.parent)
            if path.exists():
                raise taken
            claim = claimed(path)
            remove_unfinished(unfinished)
            with closing(new_file(unfinished)) as connection, connection:
                connection.executescript(f"BEGIN;{_SCHEMA}")
                connection.executemany("INSERT INTO planned VALUES (?, ?, NULL, NULL)", enumerate(eval_ids))
                rows = _meta_rows({"schema_version": SCHEMA_VERSION, **meta})
                connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
            put_in_place(unfinished, path)
            connection = open_to_write(path)
        except FileExistsError:
            raise taken from None
        except (OSError, sqlite3.Error) as error:
            # For instance because the disk is full.
            if claim is not None:
                remove_unfinished(unfinished)
            reason = error.strerror if isinstance(error, OSError) else error
            raise RunError(f"cannot write the journal {path}: {reason}") from None
        else:
            opened, claim = cls(path, connection, claim), None
            return opened
        finally:
            if claim is not None:
                claim.close()

    @classmethod
    def open_for_resume(cls, path: Path) -> Self:
        """Open the journal of a run for writing.

        Raises:
            RunError: there is no such run, another process is writing it, or it cannot be read.
        """
        must_exist(path)
        claim = claimed(path)
        try:
            remove_unfinished(unfinished_path(path))
            connection = open_to_write(path)
        except (OSError, sqlite3.Error) as error:
            claim.close()
            raise RunError(f"the journal {path} cannot be written: {error}") from None
        except BaseException:
            claim.close()
            raise
        return cls(path, connection, claim)

    @classmethod
    def open_to_read(cls, path: Path) -> Self:
        """Open the journal of a run, finished or not, for reading.

        Raises:
            RunError: there is no such run, or the file is not a journal of this version.
        """
        must_exist(path)
        return cls(path, open_existing(path, f"{path.absolute().as_uri()}?mode=ro"), None)

    def close(self) -> None:
        """Close and release the file. It becomes a single file, which can be read in a read-only folder."""
        if self._claim is not None:
            # If another process is reading it, keep the companion files, because the reader needs them.
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA busy_timeout=0")
                self._connection.execute("PRAGMA journal_mode=DELETE")
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
        """A context for one transaction: all changes are committed, or none."""
        try:
            with self._connection:
                yield
        except sqlite3.Error as error:
            raise RunError(
                f"the journal {self.path} cannot be written: {error}\n"
                f"  Finished results are safe; continue with: adjudge resume {self.path.stem}"
            ) from error

    def set_meta(self, values: Mapping[str, Any]) -> None:
        """Store JSON values by key; existing values are replaced."""
        with self._writing():
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", _meta_rows(values))

    def write(self, attempts: Sequence[Attempt], results: Mapping[Place, bytes]) -> None:
        """Commit new attempts, and new results of earlier attempts, in one transaction."""
        with self._writing():
            write = self._connection.executemany
            if logs := [(new.place[0], new.eval_id, *new.log) for new in attempts if new.log is not None]:
                write("INSERT INTO planned VALUES (?, ?, ?, ?)", logs)
            cases = [(new.place[0], new.eval_id, packed(new.case)) for new in attempts]
            write("INSERT OR IGNORE INTO cases VALUES (?, ?, ?)", cases)
            rows = [(*new.place, packed(new.result), packed(new.trajectory)) for new in attempts]
            write("INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)", rows)
            later = [(packed(result), *place) for place, result in results.items()]
            write("UPDATE attempts SET result = ? WHERE case_no = ? AND repeat = ?", later)

    def add_log_read(self, log_no: int, runs: int) -> None:
        """Commit that a log was read to its end; ``runs`` is the number of runs in it."""
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO logs_read VALUES (?, ?)", (log_no, runs))

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        """Commit one reply of a judge, so that a resumed run repeats no vote."""
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", (bytes.fromhex(key), sample, packed(data))
            )

    def forget_log_runs(self, case_numbers: Iterable[int]) -> None:
        """Remove places in logs that must be read again. Their logs no longer count as read to their end."""
        rows = [(number,) for number in case_numbers]
        with self._writing():
            self._connection.executemany(
                "DELETE FROM logs_read WHERE log_no = (SELECT log_no FROM planned WHERE case_no = ?)", rows
            )
            for table in ("planned", "cases", "attempts"):
                self._connection.executemany(f"DELETE FROM {table} WHERE case_no = ?", rows)  # noqa: S608 - of these three

    # --- reading ----------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Generator[None]:
        """A context for reading and decoding.

        Raises:
            RunError: the file is damaged.
        """
        try:
            yield
        except (sqlite3.Error, zlib.error, ValueError, LookupError, TypeError) as error:
            reason = str(error).partition("\n")[0]
            raise RunError(
                f"the journal {self.path} is damaged or was changed by something else than adjudge: "
                f"{type(error).__name__}: {reason}\n  It cannot be shown or resumed. Run it again under another name."
            ) from error

    def meta(self) -> dict[str, Any]:
        """All values stored by ``set_meta``.

        Raises:
            RunError: the file is damaged.
        """
        with self.reading():
            rows = self._connection.execute("SELECT key, value FROM meta").fetchall()
            return {key: json.loads(value) for key, value in rows}

    def reply(self, key: str, sample: int) -> bytes | None:
        """A committed reply of a judge, as JSON; ``None`` if there is none.

        Raises:
            RunError: the file cannot be read.
        """
        with self.reading():
            row: tuple[bytes] | None = self._connection.execute(
                "SELECT data FROM replies WHERE key = ? AND sample = ?", (bytes.fromhex(key), sample)
            ).fetchone()
            return None if row is None else unpacked(row[0])

    def count(self) -> int:
        """The number of attempts in the journal.

        Raises:
            RunError: the file is damaged.
        """
        with self.reading():
            row: tuple[int] = self._connection.execute("SELECT count(*) FROM attempts").fetchone()
            return row[0]

    def planned(self) -> Iterator[tuple[int, str]]:
        """Case number and ``eval_id`` of every case, in the order of the plan."""
        query = "SELECT case_no, eval_id FROM planned ORDER BY case_no"
        return iter(self._connection.cursor().execute(query))

    def log_runs(self) -> Iterator[tuple[int, tuple[int, int | None]]]:
        """Case number, index of the log, and run in the log of all runs read from logs, in the order of the logs."""
        query = (
            "SELECT case_no, log_no, run FROM planned WHERE log_no IS NOT NULL ORDER BY log_no, run, case_no"
        )
        return ((row[0], (row[1], row[2])) for row in self._connection.cursor().execute(query).fetchall())

    def logs_read(self) -> dict[int, int]:
        """The number of runs in each log that was read to its end, by index of the log."""
        return dict(self._connection.execute("SELECT log_no, runs FROM logs_read").fetchall())

    def attempts(self, *, results_only: bool = False) -> Iterator[StoredAttempt]:
        """All attempts in the order of the plan, read one at a time; ``results_only``: without case and trajectory."""
        # The case numbers of runs in logs may have another order. Query them one by one: sorting in SQLite would
        # also move their large payloads.
        of_logs = [case_no for case_no, _ in self.log_runs()]
        for case_no in of_logs:
            yield from self._attempts("WHERE case_no = ?", case_no, results_only=results_only)
        if not of_logs:
            yield from self._attempts("ORDER BY case_no, repeat", results_only=results_only)

    def attempt(self, place: Place) -> StoredAttempt:
        """The attempt at a place.

        Raises:
            RunError: there is no such attempt, or the file is damaged.
        """
        with self.reading():
            [found] = self._attempts("WHERE case_no = ? AND repeat = ?", *place)
            return found

    def attempt_if_any(self, place: Place) -> StoredAttempt | None:
        """The attempt at a place; ``None`` if it does not exist."""
        with self.reading():
            return next(self._attempts("WHERE case_no = ? AND repeat = ?", *place), None)

    def _attempts(self, which: str, *values: int, results_only: bool = False) -> Iterator[StoredAttempt]:
        payloads = "x'', x''" if results_only else "c.data, trajectory"
        query = f"SELECT case_no, repeat, eval_id, result, {payloads} FROM attempts JOIN cases AS c USING (case_no)"  # noqa: S608 - our own words
        # A separate cursor, so that a slow reader does not delay other statements.
        return map(StoredAttempt._make, self._connection.cursor().execute(f"{query} {which}", values))


def _meta_rows(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, json.dumps(value, ensure_ascii=False)) for key, value in values.items()]
