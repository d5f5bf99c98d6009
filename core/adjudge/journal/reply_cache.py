"""Shared stores of judge replies: SQLite files that all runs of the installation use, also at the same time."""

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
"""Seconds to wait for another process. A commit takes microseconds, so a process that blocks longer hangs."""


class ReplyCache:
    """Replies by request key and sample. If the file fails, the cache is not used, and calls are made again."""

    def __init__(self, path: Path | None = None, *, what: str = "the judge cache") -> None:
        """Use the file at ``path``, or the one of this installation; it is opened at the first use.

        Args:
            path: The file.
            what: Its name in warnings.
        """
        self._path = path or home() / "judge-cache.sqlite3"
        self._what = what
        self._connection: sqlite3.Connection | None = None
        self.trouble: str | None = None
        """The reason why the cache is no longer used; ``None`` if it is used."""

    def reply(self, key: str, sample: int) -> bytes | None:
        """The stored reply, as JSON."""
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
        """Store a reply. A reply that another process has stored for the same request is not replaced."""
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
    """The installation's store of compiled checks: the judge's answers that split a criterion into checks.

    Unlike the judge cache it is also used with ``--no-cache``: new checks would change the meaning of a criterion.
    """
    return ReplyCache(home() / "compiled-checks.sqlite3", what="the store of compiled checks")
