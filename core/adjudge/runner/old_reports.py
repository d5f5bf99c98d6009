"""Removes old reports at the paths of new ones before a run.

A run can end without a report: the agent ends the process, the power fails, or the plan has a problem. A user would
then take a remaining old report for the report of this run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

from adjudge.errors import InputError

_HEAD: Final = 64 * 1024
_REPORT: Final = re.compile(rb"adjudge_version\W+(?:(?:value|content)\W+)?\d+\.\d+")
"""All report formats contain the version of adjudge that wrote them."""

_Identity: TypeAlias = tuple[int, int, int]


class OldReports:
    """Existing reports at the output paths. Other files there are not removed, only replaced at the end."""

    def __init__(self, outputs: Iterable[Path]) -> None:
        """Find the existing reports among ``outputs``."""
        self._found = {
            output: identity
            for output in outputs
            if (identity := _identity(output)) is not None and _is_report(output)
        }

    def remove(self, *, spared: Iterable[str] = ()) -> None:
        """Remove the reports, except those that were replaced since, and those in ``spared``."""
        for output in self._found.keys() - {Path(name).absolute() for name in spared}:
            # Remove the target of a link, not the link: the new report is written to the target.
            if _identity(output) == self._found[output]:
                with suppress(OSError):
                    output.resolve().unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Remove the reports that remain. Files named in a problem stay: they may be inputs."""
        problems = error.problems if isinstance(error, InputError) else ()
        self.remove(spared=[problem.file for problem in problems if problem.file is not None])


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _is_report(path: Path) -> bool:
    """Whether the beginning of the file contains the version of adjudge, as all its reports do."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return _REPORT.search(head) is not None
