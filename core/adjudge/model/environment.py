"""Environment variables, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path


class Environment(Mapping[str, str]):
    """The variables of the process, with those that ``.env`` files add."""

    def __init__(self, values: Mapping[str, str], files: Mapping[str, Path]) -> None:
        """Take over the variables.

        Args:
            values: Every variable.
            files: The ``.env`` file of each variable that comes from one.
        """
        self._values = dict(values)
        self._files = dict(files)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def file_of(self, name: str) -> Path | None:
        """The ``.env`` file that the variable comes from; ``None`` where the process has it, and where nobody has."""
        return self._files.get(name)
