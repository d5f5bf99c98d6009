"""The eval sets below the working folder, by the paths that stand in addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, Generic, TypeVar

from adjudge.kit.adk import CaseEntry, EvalSetFile, find_eval_sets, first_entries, open_eval_set
from adjudge.model import Trajectory, numbered
from adjudge.plugin import AdjudgeError, InputError, Problem

OpenedT = TypeVar("OpenedT")

_LARGE: Final = 2**20
"""Bytes of a file from which on reading it takes a moment."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An eval set as the list shows it."""

    file: str
    """Its path below the folder, with ``/``."""
    eval_set_id: str
    cases: int
    turns: int
    scenarios: int
    is_old: bool
    """Whether it is in a shape from before ADK's schema."""
    warnings: int
    problem: str | None = None
    """Why it cannot be used."""
    is_read: bool = True
    """Otherwise nothing but its name is known yet."""


class Kept(Generic[OpenedT]):
    """What was made of the files that were asked for last, as long as these stay as they are."""

    def __init__(self, make: Callable[[Path], OpenedT], most: int) -> None:
        """Make what is asked for with ``make``, and keep it of ``most`` files."""
        self._make = make
        self._most = most
        self._made: dict[Path, tuple[tuple[int, int, int], OpenedT]] = {}
        self._keeping = Lock()

    def of(self, path: Path) -> OpenedT:
        """What is made of a file now."""
        found = path.stat()
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        with self._keeping:
            known = self._made.pop(path, None)
        if known is None or known[0] != state:
            known = (state, self._make(path))  # nobody waits for a large file of somebody else's
        with self._keeping:
            self._made[path] = known
            if len(self._made) > self._most:
                del self._made[next(iter(self._made))]
        return known[1]

    def knows(self, path: Path) -> bool:
        """Whether something was made of the file, as it was at some time."""
        return path in self._made


def _opened(path: Path) -> EvalSetFile | AdjudgeError:
    try:
        return open_eval_set(path, may_be_empty=True)
    except AdjudgeError as error:
        return error


class EvalSetFolder:
    """Finds eval sets, and nothing outside of its folder."""

    def __init__(self, folder: Path) -> None:
        """Look below ``folder``."""
        self.folder = folder.resolve()
        self._files = Kept(_opened, 500)

    def paths(self) -> list[str]:
        """Every eval set below the folder, as addresses name it."""
        try:
            found = find_eval_sets(self.folder)
        except InputError:
            return []
        return [path.relative_to(self.folder).as_posix() for path in found]

    def path(self, file: str) -> Path:
        """The file that an address names.

        Raises:
            InputError: there is no such eval set below the folder.
        """
        if file not in self.paths():
            raise InputError(Problem(what="there is no such eval set here.", file=file))
        return self.folder / file

    def new_path(self, file: str) -> Path:
        """Where a new file is to be written.

        Raises:
            InputError: it would not lie below the folder, or its folder does not exist.
        """
        path = (self.folder / file).resolve()
        if not path.is_relative_to(self.folder):
            raise InputError(Problem(what="it would lie outside of the folder of the page.", file=file))
        if not path.parent.is_dir():
            raise InputError(Problem(what="its folder does not exist.", file=file))
        return path

    def is_quick(self, file: str) -> bool:
        """Whether it is small, or known: then opening it takes no time.

        Raises:
            InputError: there is none.
        """
        return self._is_quick(self.path(file))

    def first_entries(self, file: str, most: int) -> list[CaseEntry]:
        """Its first cases, before all of it is validated.

        Raises:
            InputError: there is none, or it is no eval set.
        """
        return first_entries(self.path(file), most)

    def open(self, file: str) -> EvalSetFile:
        """The eval set that an address names.

        Raises:
            InputError: there is none, or it has problems.
        """
        found = self._files.of(self.path(file))
        if isinstance(found, AdjudgeError):
            raise found
        return found

    def expected(self, file: str, eval_id: str) -> Trajectory:
        """What a case expects, as a run that did it; without turns where a model plays the user.

        Raises:
            InputError: there is no such case, or its file has problems.
        """
        opened = self.open(file)
        [entry] = opened.select([eval_id])
        case = opened.read(entry)
        return Trajectory(
            invocations=numbered(case.conversation or ()),
            eval_id=eval_id,
            final_session_state=case.final_session_state,
            source=file,
        )

    def listed(self, file: str, *, is_to_be_read: bool = True) -> Listed:
        """One line of the list.

        Args:
            file: The eval set, as ``paths`` names it.
            is_to_be_read: Whether it is opened in any case; otherwise only where that takes no time.
        """
        name = file.rpartition("/")[2].split(".")[0]
        try:
            path = self.folder / file
            if not is_to_be_read and not self._is_quick(path):
                return Listed(file, name, 0, 0, 0, is_old=False, warnings=0, is_read=False)
            found = self._files.of(path)
        except OSError as error:
            found = InputError(Problem(what=f"cannot be read: {error.strerror}", file=file))
        if isinstance(found, AdjudgeError):
            return Listed(file, name, 0, 0, 0, is_old=False, warnings=0, problem=str(found))
        return Listed(
            file,
            found.eval_set_id,
            len(found.entries),
            sum(entry.turns for entry in found.entries),
            sum(entry.is_scenario for entry in found.entries),
            is_old=found.given_id is None,
            warnings=len(found.warnings),
        )

    def _is_quick(self, path: Path) -> bool:
        return path.stat().st_size < _LARGE or self._files.knows(path)
