"""The calibrations of this installation: one SQLite file, the newest of each criterion and its judges kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from adjudge.errors import RunError
from adjudge.model.calibration import Calibration
from adjudge.storage.locations import home, make_folder

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS calibrations_v1 (criterion TEXT NOT NULL, judges TEXT NOT NULL, "
    "data TEXT NOT NULL, PRIMARY KEY (criterion, judges)) WITHOUT ROWID"
)


class KeptCalibrations:
    """Calibrations by the hash of the compiled criterion and by the set of judges.

    A criterion that has no hash may mean something else tomorrow: its calibration is not kept here.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Use the file at ``path``, or the one of this installation."""
        self.path = path or home() / "calibrations.sqlite3"

    def keep(self, calibrations: Iterable[Calibration]) -> None:
        """Keep calibrations in place of older ones.

        Raises:
            RunError: the file cannot be written.
        """
        rows = [
            (item.criterion_sha256, json.dumps(sorted(item.judges)), item.model_dump_json())
            for item in calibrations
            if item.criterion_sha256 is not None
        ]
        try:
            make_folder(self.path.parent)
            with closing(sqlite3.connect(self.path, timeout=30)) as connection, connection:
                connection.execute(_SCHEMA)
                connection.executemany("INSERT OR REPLACE INTO calibrations_v1 VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            raise RunError(f"calibrations cannot be kept in {self.path}: {error}") from None

    def everything(self) -> tuple[Calibration, ...]:
        """Every calibration.

        Raises:
            RunError: the file cannot be read.
        """
        if not self.path.exists():
            return ()
        try:
            with closing(sqlite3.connect(self.path, timeout=30)) as connection:
                connection.execute(_SCHEMA)
                rows = connection.execute(
                    "SELECT data FROM calibrations_v1 ORDER BY criterion, judges"
                ).fetchall()
            return tuple(Calibration.model_validate_json(data) for (data,) in rows)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise RunError(
                f"calibrations cannot be read from {self.path}: {error}\n"
                "  Without that file nothing is calibrated."
            ) from None
