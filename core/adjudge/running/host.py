"""The host: what the core offers to the components that it makes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.errors import InputError, Problem
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import ReadOptions, Source, TraceReader
from adjudge.extension.registry import Registered
from adjudge.extension.specs import TraceReaderSpec
from adjudge.model.trajectory import Trajectory

_HEAD: Final = 64 * 1024


class RunHost:
    """The host of one run (see ``adjudge.plugin.Host``)."""

    def __init__(self, extensions: Extensions, working_folder: Path) -> None:
        """Offer what ``extensions`` has, in ``working_folder``."""
        self._extensions = extensions
        self._working_folder = working_folder

    @property
    def working_folder(self) -> Path:
        """The folder that relative paths and importable modules are looked up in."""
        return self._working_folder

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """The trajectories of a log, read by the installed trace reader that knows its format.

        Raises:
            InputError: no reader knows the file, or it is broken.
        """
        source = Source(self._working_folder / path)
        head = self._head(source)
        if reader is not None:
            return self._made(self._extensions.trace_readers.resolve(reader)).read(source, ReadOptions())
        tried: list[str] = []
        for registered in self._extensions.trace_readers:
            made = self._made(registered)
            try:
                if made.sniff(head, source.path):
                    return made.read(source, ReadOptions())
            except Exception as error:
                tried.append(f"{registered.spec.name} (raised {type(error).__name__}: {error})")
                continue
            tried.append(registered.spec.name)
        raise InputError(
            Problem(
                what="no trace reader knows this format",
                file=str(path),
                hint=f"Tried: {', '.join(tried) or 'none is installed'}.",
            )
        )

    def _made(self, registered: Registered[TraceReaderSpec]) -> TraceReader:
        return registered.spec.factory(registered.spec.config(), self)

    @staticmethod
    def _head(source: Source) -> bytes:
        try:
            with source.open() as stream:
                return stream.read(_HEAD)
        except (OSError, EOFError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise InputError(Problem(what=f"cannot be read: {reason}", file=str(source.path))) from None
