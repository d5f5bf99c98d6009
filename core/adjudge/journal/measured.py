"""What was measured of judges: one SQLite file of the installation, the newest measurement of each kept."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from adjudge.errors import RunError
from adjudge.extension.home_folder import home, make_folder
from adjudge.model.base import JsonObject
from adjudge.model.labelled import JudgeMeasurement

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS measured_v1 ("
    "judge TEXT NOT NULL, backend TEXT NOT NULL, criterion TEXT NOT NULL, version INTEGER NOT NULL, "
    "data TEXT NOT NULL, PRIMARY KEY (judge, backend, criterion, version)) WITHOUT ROWID"
)


class MeasuredJudges:
    """Measurements by judge, by where its calls go, and by criterion.

    The same name may be another model elsewhere: a measurement holds for the backend's fingerprint that
    it was made with, and for the version of the criterion.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Use the file at ``path``, or the one of this installation."""
        self._path = path or home() / "measured-judges.sqlite3"

    def keep(self, measurement: JudgeMeasurement, fingerprint: JsonObject | None) -> None:
        """Keep a measurement in place of an older one.

        Raises:
            RunError: the file cannot be written.
        """
        place = (
            measurement.judge,
            _digest(fingerprint),
            measurement.criterion,
            measurement.criterion_version,
        )
        try:
            make_folder(self._path.parent)
            with closing(sqlite3.connect(self._path, timeout=30)) as connection, connection:
                connection.execute(_SCHEMA)
                connection.execute(
                    "INSERT OR REPLACE INTO measured_v1 VALUES (?, ?, ?, ?, ?)",
                    (*place, measurement.model_dump_json()),
                )
        except (sqlite3.Error, OSError) as error:
            raise RunError(f"what was measured cannot be kept in {self._path}: {error}") from None

    def of(
        self, judge: str, fingerprint: JsonObject | None, criterion: str, version: int
    ) -> JudgeMeasurement | None:
        """What was measured of a judge on a criterion.

        Raises:
            RunError: the file cannot be read.
        """
        place = (judge, _digest(fingerprint), criterion, version)
        where = "WHERE judge = ? AND backend = ? AND criterion = ? AND version = ?"
        return next(iter(self._read(where, place)), None)

    def everything(self) -> tuple[JudgeMeasurement, ...]:
        """Every measurement, by judge and criterion.

        Raises:
            RunError: the file cannot be read.
        """
        return self._read("ORDER BY judge, criterion, version, backend", ())

    def _read(self, where: str, values: tuple[object, ...]) -> tuple[JudgeMeasurement, ...]:
        if not self._path.exists():
            return ()
        try:
            with closing(sqlite3.connect(self._path, timeout=30)) as connection:
                rows = connection.execute(f"SELECT data FROM measured_v1 {where}", values).fetchall()  # noqa: S608 - our own words
            return tuple(JudgeMeasurement.model_validate_json(data) for (data,) in rows)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise RunError(f"what was measured cannot be read from {self._path}: {error}") from None


def _digest(fingerprint: JsonObject | None) -> str:
    return hashlib.sha256(json.dumps(fingerprint, sort_keys=True).encode()).hexdigest()
