"""A host for components that are made in a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from adjudge.errors import InputError, Problem
from adjudge.model.trajectory import Trajectory


class FakeHost:
    """What a component's factory is given in a test: a folder, and logs by file name."""

    def __init__(self, folder: Path, *, logs: Mapping[str, Sequence[Trajectory]] | None = None) -> None:
        """Offer ``folder``.

        Args:
            folder: An existing folder, for instance pytest's ``tmp_path``.
            logs: File names to the trajectories that reading them gives.
        """
        self._folder = folder
        self._logs = dict(logs or {})

    @property
    def working_folder(self) -> Path:
        """The folder that relative paths and importable modules are looked up in."""
        return self._folder

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """The trajectories that were given for a file of that name.

        Raises:
            InputError: none were given.
        """
        if path.name not in self._logs:
            wanted = "" if reader is None else f" with reader {reader!r}"
            raise InputError(Problem(what=f"no trace reader knows this file{wanted}", file=str(path)))
        return iter(self._logs[path.name])
