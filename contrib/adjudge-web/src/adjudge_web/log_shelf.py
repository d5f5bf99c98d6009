"""Logs: those below the working folder, and those that somebody gave to the page."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock

from pydantic_core import to_json

import adjudge
from adjudge.kit.viewer import trace_document
from adjudge.plugin import AdjudgeError, InputError, Problem, Trajectory, home, make_folder
from adjudge_web.eval_set_folder import Kept
from adjudge_web.uploads import safe_name


class LogShelf:
    """Finds logs by what stands in addresses, and nothing outside of its two folders."""

    def __init__(self, folder: Path) -> None:
        """Look below ``folder``, and where given logs are kept."""
        self._folder = folder.resolve()
        self._runs = Kept(lambda path: list(adjudge.read_log(path)), 4)
        self._documents = Kept(lambda _: dict[int, bytes](), 4)
        self._making = Lock()
        """Of two who ask for a document at the same time one makes it."""

    @property
    def given_folder(self) -> Path:
        """Where logs are kept that were given."""
        return (home() / "logs").resolve()

    def given(self) -> list[str]:
        """The logs that were given, as addresses name them."""
        found = sorted(self.given_folder.glob("*"), key=lambda path: path.stat().st_mtime, reverse=True)
        return [self.shown(path) for path in found if path.is_file()]

    def keep(self, name: str, content: bytes) -> str:
        """Keep a log that somebody gave; gives how addresses name it.

        Another log that has its name already stays: labels and runs speak of it.
        """
        make_folder(self.given_folder)
        stem, dot, ending = safe_name(name).partition(".")
        for number in count(1):
            path = self.given_folder / f"{stem}{'' if number == 1 else f'-{number}'}{dot}{ending}"
            try:
                with path.open("xb") as file:
                    file.write(content)
            except FileExistsError:
                if not path.is_file() or path.read_bytes() != content:
                    continue
            return self.shown(path)
        raise AssertionError("there is always another number")

    def shown(self, path: Path) -> str:
        """How addresses name a log."""
        return path.relative_to(self._folder).as_posix() if path.is_relative_to(self._folder) else str(path)

    def path(self, name: str) -> Path:
        """The log, or the folder of logs, that an address or a person names.

        Raises:
            InputError: it lies outside, or is not there.
        """
        problem = Problem(what="there is no such log below the folder of the page.", file=name)
        try:
            path = (self._folder / name).resolve()
            if path == self._folder or not any(map(path.is_relative_to, (self._folder, self.given_folder))):
                raise InputError(problem)
            if not path.exists():
                raise InputError(problem)
        except ValueError:  # a NUL in it
            raise InputError(problem) from None
        return path

    def runs(self, name: str) -> list[Trajectory]:
        """The runs in a log.

        Raises:
            InputError: there is none, no reader knows it, or it is broken.
        """
        path = self.path(name)
        if path.is_dir():
            raise InputError(Problem(what="this is a folder; name a log in it.", file=name))
        if not path.is_file():  # a pipe would be waited for
            raise InputError(Problem(what="this is no file.", file=name))
        return self._runs.of(path)

    def document(self, name: str, number: int) -> bytes:
        """What the viewer shows of a run in a log, as JSON.

        Raises:
            InputError: there is no such run, or the log cannot be read.
        """
        with self._making:
            runs = self.runs(name)
            if not 1 <= number <= len(runs):
                raise InputError(Problem(what=f"there is no run {number} in this log.", file=name))
            made = self._documents.of(self.path(name))
            if number not in made:
                made[number] = to_json(trace_document(runs[number - 1], f"{name}, run {number}"))
            return made[number]

    def prepare(self, name: str, number: int) -> None:
        """Make the document before somebody asks for it; who asks is told what is wrong."""
        with suppress(AdjudgeError):
            self.document(name, number)
