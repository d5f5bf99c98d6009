"""Finds the samples in a log: one value after another in JSON, one file each in an archive."""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge.plugin import InputError, Problem, ReadOptions, Source, Trajectory
from adjudge_plugins.readers.inspect_reader.sample import trajectory_of

_ARCHIVE: Final = b"PK\x03\x04"
_ENTRIES: Final = (b"_journal/start.json", b"header.json")
_KEYS: Final = frozenset({"version", "eval"})
_OTHERS: Final = frozenset({"status", "plan", "samples", "results", "stats"})
_ALWAYS: Final = 64 * 1024 * 1024
"""Bytes that any sample may have when it is unpacked."""
_TIMES: Final = 50
"""How many times the size of the whole archive a larger one may have."""


class InspectReader:
    """Reads one sample at a time."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether it is an archive with Inspect's files, or an object with an evaluation and its version."""
        if head.startswith(_ARCHIVE):
            return any(entry in head for entry in _ENTRIES)
        keys = set(logs.outline(head).keys)
        return keys >= _KEYS and bool(keys & _OTHERS)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """The samples of the log, in its order.

        Raises:
            InputError: the file is broken or holds something else; the problem names the place.
        """
        with source.path.open("rb") as file:
            is_archive = file.read(4) == _ARCHIVE
        yield from _of_archive(source, options) if is_archive else _of_json(source, options)


def _of_json(source: Source, options: ReadOptions) -> Iterator[Trajectory]:
    name = source.path.name
    about: JsonObject = {}
    found = False
    with logs.opened(source) as stream:
        if stream.peek() != "{":
            stream.fail("no log of Inspect; an object is expected.")
        place = logs.Place(name)
        for key in stream.members():
            if key == "samples" and stream.peek() == "[":
                for index in stream.elements():
                    found = True
                    here = place.key(key).at(index)
                    yield trajectory_of(here.as_object(stream.value(), "a sample"), about, here, options)
            else:
                about[key] = stream.value()
        if not found:
            place.fail("found no sample", "A log of Inspect has samples, unless it was written without.")


def _of_archive(source: Source, options: ReadOptions) -> Iterator[Trajectory]:
    name = source.path.name
    limit = max(_ALWAYS, _TIMES * source.path.stat().st_size)
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = archive.namelist()
            header = next((entry for entry in ("header.json", "_journal/start.json") if entry in names), None)
            about = logs.object_of(_value(archive, header, name, limit, source.mended) if header else None)
            samples = [entry for entry in names if entry.startswith("samples/") and entry.endswith(".json")]
            for entry in samples:
                place = logs.Place(f"{name}/{entry}")
                sample = place.as_object(_value(archive, entry, name, limit, source.mended), "a sample")
                yield trajectory_of(sample, about, place, options)
    except (OSError, EOFError, NotImplementedError, zipfile.BadZipFile, RuntimeError) as error:
        raise InputError(Problem(what=f"cannot be read: {error}", file=name)) from error
    if not samples:
        logs.Place(name).fail("found no sample", "An archive of Inspect has a file for each under samples/.")


def _value(archive: zipfile.ZipFile, entry: str, name: str, limit: int, mended: Counter[str]) -> Any:
    """A file of the archive. Its size is what the archive says: no more is unpacked."""
    size = archive.getinfo(entry).file_size
    if size > limit:
        what = f"{entry}: unpacked it is larger than {limit // (1024 * 1024):,} MiB"
        raise InputError(Problem(what=what, file=name))
    try:
        text = archive.read(entry).decode("utf-8", "replace")
    except zlib.error as error:
        raise InputError(Problem(what=f"{entry} cannot be read: {error}", file=name)) from error
    return logs.parse_mending(text, f"{name}/{entry}", mended)
