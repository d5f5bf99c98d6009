"""The shared stores of judge replies: one SQLite file each for all runs, written by any number of processes."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import Final

from adjudge.extension.home_folder import home, make_folder
from adjudge.journal.compression import packed, unpacked

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS replies_v1 "
    "(key BLOB NOT NULL, sample INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (key, sample)) WITHOUT ROWID"
)
_BUSY: Final = 5.0
"""Seconds to wait for another process. A commit takes microseconds; whoever blocks longer is stuck."""


class ReplyCache:
    """Replies by request key and sample. Nothing depends on it: where it fails, calls are made anew."""

    def __init__(self, path: Path | None = None, *, what: str = "the judge cache") -> None:
        """Use the file at ``path``, or the one of this installation; it is opened at the first use.

        Args:
            path: The file.
            what: What warnings call it.
        """
        self._path = path or home() / "judge-cache.sqlite3"
        self._what = what
        self._connection: sqlite3.Connection | None = None
        self.trouble: str | None = None
        """Why it is not used any more."""

    def reply(self, key: str, sample: int) -> bytes | None:
        """What was kept, as JSON."""
        try:
            connection = self._opened()
            if connection is None:
                return None
            row = connection.execute(
                "SELECT data FROM replies_v1 WHERE key = ? AND sample = ?", (bytes.fromhex(key), sample)
            ).fetchone()
            return None if row is None else unpacked(row[0])
        except (sqlite3.Error, OSError, zlib.error) as error:
            self._give_up(error)
            return None

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        """Keep a reply. The first one stays: another process may have asked the same meanwhile."""
        try:
            connection = self._opened()
            if connection is not None:
                with connection:
                    connection.execute(
                        "INSERT OR IGNORE INTO replies_v1 VALUES (?, ?, ?)",
                        (bytes.fromhex(key), sample, packed(data)),
                    )
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection | None:
        if self._connection is None and self.trouble is None:
            make_folder(self._path.parent)
            connection = sqlite3.connect(self._path, timeout=_BUSY, check_same_thread=False)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _give_up(self, error: Exception) -> None:
        self.trouble = f"{self._what} {self._path} is not used: {error}"
        self.close()


def compiled_checks() -> ReplyCache:
    """The store of this installation: the judge's answer by the hash of criterion, prompt, parameters and model.

    Unlike the judge cache it is used under ``--no-cache`` too: a criterion that is broken up anew is another one.
    """
    return ReplyCache(home() / "compiled-checks.sqlite3", what="the store of compiled checks")
