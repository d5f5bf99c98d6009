"""The file of a journal: creates, opens and locks it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from adjudge.errors import RunError

SCHEMA_VERSION: Final = 4


def new_file(path: Path) -> sqlite3.Connection:
    """Connect to a file, which need not exist."""
    return sqlite3.connect(path, timeout=30, check_same_thread=False)


def _prepare(connection: sqlite3.Connection) -> None:
    # With a write-ahead log a killed process loses no committed data, readers do not block the writer, and a commit
    # takes microseconds.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def unfinished_path(path: Path) -> Path:
    """The path at which a journal is created before it is renamed."""
    return path.with_name(f"{path.name}.new")


def remove_unfinished(path: Path) -> None:
    """Remove the remains of a journal whose process died while creating it."""
    for left in (path, *(path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm"))):
        left.unlink(missing_ok=True)


def put_in_place(unfinished: Path, path: Path) -> None:
    """Rename a complete new journal to its final path.

    Raises:
        FileExistsError: another process created a journal of this name first.
    """
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:  # the file system has no hard links; the claim excludes other processes
        if path.exists():
            raise FileExistsError(path) from None
        unfinished.replace(path)
    unfinished.unlink(missing_ok=True)


def open_to_write(path: Path) -> sqlite3.Connection:
    """Connect to an existing journal for writing.

    Raises:
        RunError: the file is not a journal, or is of another version.
    """
    connection = open_existing(path, f"{path.absolute().as_uri()}?mode=rw")
    try:
        _prepare(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def open_existing(path: Path, address: str) -> sqlite3.Connection:
    """Connect to an existing journal.

    Args:
        path: The file, for messages.
        address: The file as an SQLite URI, which contains the access mode.

    Raises:
        RunError: the file is not a journal, or is of another version.
    """
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(address, timeout=30, check_same_thread=False, uri=True)
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
        version = None if row is None else json.loads(row[0])
    except (sqlite3.Error, ValueError, TypeError) as error:
        if connection is not None:
            connection.close()
        raise RunError(f"{path} is not a journal of adjudge, or it is damaged: {error}") from None
    if version != SCHEMA_VERSION:
        connection.close()
        raise RunError(
            f"{path} was kept by another version of adjudge: it has journal version {version}, and this one reads "
            f"version {SCHEMA_VERSION}. It cannot be shown or resumed; run it again under another name."
        )
    return connection


def must_exist(path: Path) -> None:
    """Raise ``RunError`` with the names of the existing runs if this run does not exist."""
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob("*.sqlite3"))
        listed = f" Runs here: {', '.join(known[-10:])}." if known else " There are no runs here."
        raise RunError(f"no run named {path.stem!r} in {path.parent}.{listed}")


def claimed(path: Path) -> sqlite3.Connection:
    """Claim a run for this process.

    The claim is an open transaction on a separate database file next to the journal. It ends when the process ends
    for any reason, and does not block readers of the journal.

    Raises:
        RunError: another process writes the run, or the claim cannot be written.
    """
    lock = f"{path}.lock"
    claim: sqlite3.Connection | None = None
    try:
        claim = sqlite3.connect(lock, timeout=0, isolation_level=None, check_same_thread=False)
        claim.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if claim is not None:
            claim.close()
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise RunError(f"run {path.stem!r} cannot be written: its lock {lock}: {error}") from None
        raise RunError(f"run {path.stem!r} is being written by another process") from None
    return claim


def delete_journal(path: Path) -> None:
    """Delete a journal that no process writes, with its companion files.

    Raises:
        RunError: it does not exist, another process writes it, or it cannot be deleted.
    """
    must_exist(path)
    claim = claimed(path)
    try:
        remove_unfinished(unfinished_path(path))
        for end in ("", "-journal", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        # Remove the lock while it is held, if the system allows it: a new run of this name creates its own.
        with suppress(OSError):
            path.with_name(f"{path.name}.lock").unlink()
    except OSError as error:
        raise RunError(f"run {path.stem!r} cannot be deleted: {error.strerror}: {error.filename}") from None
    finally:
        claim.close()
