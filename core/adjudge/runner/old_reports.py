"""Old reports: what an earlier command wrote where this one will write is gone before anything runs.

A run can end without a report: the agent ends the process, the machine is switched off, the plan has a problem. An
earlier report that stayed in its place would be read as the report of this run.
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
_REPORT: Final = re.compile(rb'\s*(\{\s*"schema_version"|<\?xml[^>]*>\s*<testsuites?\b)')

_Identity: TypeAlias = tuple[int, int, int]


class OldReports:
    """The reports of adjudge that lie where a command will write; any other file stays until it is replaced."""

    def __init__(self, outputs: Iterable[Path]) -> None:
        """Look what is there now."""
        self._found = {
            output: identity
            for output in outputs
            if (identity := _identity(output)) is not None and _is_report(output)
        }

    def remove(self, *, spared: Iterable[str] = ()) -> None:
        """Remove them, but for those that were replaced meanwhile, and for ``spared``."""
        for output in self._found.keys() - {Path(name).absolute() for name in spared}:
            # Of a link, what it leads to: the next report is written there.
            if _identity(output) == self._found[output]:
                with suppress(OSError):
                    output.resolve().unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Remove them where that was not done; not what a problem names: it may be an input."""
        problems = error.problems if isinstance(error, InputError) else ()
        self.remove(spared=[problem.file for problem in problems if problem.file is not None])


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _is_report(path: Path) -> bool:
    """Whether it is JSON or JUnit XML as adjudge writes it."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return _REPORT.match(head) is not None and b"adjudge" in head
