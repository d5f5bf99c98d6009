"""Finds the samples in a log: elements of a JSON document, or files of an archive."""

from __future__ import annotations

import importlib
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
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
"""The unpacked size in bytes that is allowed for every sample."""
_TIMES: Final = 50
"""A larger sample may be this many times the size of the whole archive."""
_PIECE: Final = 4096
"""The bytes per read, which limits how far memory can exceed the size limit."""
_ZSTD: Final = 93
"""The number of zstd among the methods of ZIP archives (.ZIP File Format Specification 6.3.8, 4.4.5)."""


class InspectReader:
    """Reads one sample at a time."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether it is an archive with Inspect's files, or an object with an evaluation and a version."""
        if head.startswith(_ARCHIVE):
            return any(entry in head for entry in _ENTRIES)
        keys = set(logs.outline(head).keys)
        return keys >= _KEYS and bool(keys & _OTHERS)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the samples in the order of the log.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
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
    made: Any = zipfile
    try:
        with zipfile.ZipFile(source.path) as plain:
            is_packed_by_zstd = any(entry.compress_type == _ZSTD for entry in plain.infolist())
        if is_packed_by_zstd:
            made = _with_zstd(name)
        with made.ZipFile(source.path) as archive:
            names = archive.namelist()
            header = next((entry for entry in ("header.json", "_journal/start.json") if entry in names), None)
            about = logs.object_of(_value(archive, header, name, limit, source.mended) if header else None)
            samples = [entry for entry in names if entry.startswith("samples/") and entry.endswith(".json")]
            for entry in samples:
                place = logs.Place(f"{name}/{entry}")
                sample = place.as_object(_value(archive, entry, name, limit, source.mended), "a sample")
                yield trajectory_of(sample, about, place, options)
    except (OSError, EOFError, NotImplementedError, made.BadZipFile, RuntimeError) as error:
        raise InputError(Problem(what=f"cannot be read: {error}", file=name)) from error
    if not samples:
        logs.Place(name).fail("found no sample", "An archive of Inspect has a file for each under samples/.")


def _with_zstd(name: str) -> Any:
    """The module ``zipfile`` with zstd support: that of Python 3.14, or of the extra ``zstd``.

    Raises:
        InputError: neither is available.
    """
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        return zipfile
    with suppress(ImportError):
        return importlib.import_module("backports.zstd.zipfile")
    hint = (
        "Install it with: pip install 'adjudge[zstd]'. Or unpack the log with: inspect log convert --to json"
    )
    raise InputError(
        Problem(what="is packed by zstd, which needs a package that is not installed", file=name, hint=hint)
    )


def _value(archive: Any, entry: str, name: str, limit: int, mended: Counter[str]) -> Any:
    """Parse a file of the archive. Its declared size is checked first, and no more than that is unpacked."""
    about = archive.getinfo(entry)
    if about.file_size > limit:
        what = f"{entry}: unpacked it is larger than {limit // (1024 * 1024):,} MiB"
        raise InputError(Problem(what=what, file=name))
    # The zstd reader unpacks a whole input chunk regardless of the requested size, so chunks are small.
    piece = _PIECE if about.compress_type == _ZSTD else -1
    data = bytearray()
    try:
        with archive.open(entry) as file:
            while found := file.read(piece):
                data += found
    except _broken(about.compress_type) as error:
        raise InputError(Problem(what=f"{entry} cannot be read: {error}", file=name)) from error
    text = data.decode("utf-8", "replace")
    return logs.parse_mending(text, f"{name}/{entry}", mended)


def _broken(method: int) -> tuple[type[Exception], ...]:
    """The exceptions that are raised for corrupt data."""
    if method != _ZSTD:
        return (zlib.error,)
    module = "compression.zstd" if hasattr(zipfile, "ZIP_ZSTANDARD") else "backports.zstd"
    return (importlib.import_module(module).ZstdError,)
