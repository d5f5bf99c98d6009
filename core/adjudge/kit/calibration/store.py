"""The calibrations stored in this installation: the newest for each criterion and its judges."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from adjudge.errors import RunError
from adjudge.kit.calibration.document import Calibration
from adjudge.plugin import home, make_folder


class KeptCalibrations:
    """Calibrations by the hash of the compiled criterion and the set of judges, in one file each.

    Calibrations of criteria without a hash are not stored, because their meaning may change.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Use ``folder``, or the one of this installation."""
        self.folder = folder or home() / "calibrations"

    def keep(self, calibrations: Iterable[Calibration]) -> None:
        """Store calibrations; they replace older ones.

        Raises:
            RunError: a file cannot be written.
        """
        for item in calibrations:
            if item.criterion_sha256 is None:
                continue
            key = json.dumps([item.criterion_sha256, sorted(item.judges)])
            path = self.folder / f"{sha256(key.encode()).hexdigest()}.json"
            # Write it in the same folder and rename it, so that readers see either the old or the new file.
            partial = path.with_name(f".{path.name}.{os.getpid()}")
            try:
                make_folder(self.folder)
                partial.write_text(item.model_dump_json(indent=2) + "\n", encoding="utf-8")
                partial.replace(path)
            except OSError as error:
                partial.unlink(missing_ok=True)
                raise RunError(f"calibrations cannot be kept in {self.folder}: {error}") from None

    def everything(self) -> tuple[Calibration, ...]:
        """All stored calibrations.

        Raises:
            RunError: a file cannot be read.
        """
        found: list[Calibration] = []
        for path in sorted(self.folder.glob("[!.]*.json")):
            try:
                found.append(Calibration.model_validate_json(path.read_bytes()))
            except (OSError, ValueError) as error:
                raise RunError(
                    f"a calibration cannot be read from {path}: {error}\n"
                    "  Without that file nothing is calibrated by it."
                ) from None
        return tuple(sorted(found, key=lambda item: (item.criterion_sha256 or "", item.judges)))
