"""Environment variables, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path


class Environment(Mapping[str, str]):
    """The environment variables of the process and those added from ``.env`` files."""

    def __init__(self, values: Mapping[str, str], files: Mapping[str, Path]) -> None:
        """Create a mapping of variables.

        Args:
            values: All variables.
            files: For each variable from a ``.env`` file, the path of the file.
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
        """The ``.env`` file of a variable; ``None`` if it is from the process, or does not exist."""
        return self._files.get(name)
