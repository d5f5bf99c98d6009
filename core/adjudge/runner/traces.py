"""Reads logs of agents: finds the trace reader for a file, and reads its trajectories."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from adjudge.adk.json_input import JsonStream
from adjudge.errors import AdjudgeError, InputError, Problem
from adjudge.extension.guard import configured, each, guarded, make, returned
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import Host, ReadOptions, Source, TraceReader
from adjudge.extension.registry import Registered, check_modules
from adjudge.extension.specs import TraceReaderSpec
from adjudge.model.trajectory import Trajectory

_HEAD: Final = 64 * 1024
_KEYS_SHOWN: Final = 8
_NEAREST: Final = 2
"""The maximum number of similar formats named in a message."""


class Traces:
    """The installed trace readers."""

    def __init__(self, extensions: Extensions, host: Host) -> None:
        """Use the readers of ``extensions``, each created with ``host``. A reader that fails is a warning."""
        self._warn = extensions.warn
        self._readers = extensions.trace_readers
        self._host = host

    def reader_of(self, path: Path, *, name: str | None = None) -> Registered[TraceReaderSpec]:
        """Find a reader by its name, or by the content of the file.

        Args:
            path: The log.
            name: The name of the reader; ``None`` to detect the format from the content.

        Raises:
            InputError: the file cannot be read, no reader recognises it, or several do.
            UnknownNameError: there is no reader of this name, or several.
            UnavailableError: a module that it requires is not installed.
        """
        head = self._head(path)
        if name is not None:
            named = self._readers.resolve(name)
            check_modules(named)
            return named
        tried: list[str] = []
        knowing: list[Registered[TraceReaderSpec]] = []
        for registered in self._readers:
            try:
                reader = self._made(registered, takes_part=False)
                with guarded(registered, "sniff"):
                    knows = bool(reader.sniff(head, self._source(path).path))
            except AdjudgeError as error:
                reason = str(error)
                # Warn even if another reader recognises the file: the failed reader might be the right one.
                self._warn(reason)
            else:
                if knows:
                    knowing.append(registered)
                    continue
                wanted = registered.spec.recognised_by or registered.spec.summary
                reason = f"not found: {wanted.rstrip('.')}"
            tried.append(f"\n    {registered.spec.name}: {reason}")
        if len(knowing) == 1:
            return knowing[0]
        if knowing:
            names = " and ".join(f"{one.spec.name} ({one.provenance})" for one in knowing)
            raise InputError(
                Problem(
                    what=f"more than one trace reader knows this format: {names}",
                    file=str(path),
                    hint=f"Name the one that is meant: --reader {knowing[0].spec.name}, or reader={knowing[0].spec.name}.",
                )
            )
        if not head.removeprefix(codecs.BOM_UTF8).strip():
            raise InputError(Problem(what="the file is empty", file=str(path)))
        raise InputError(
            Problem(
                what=f"no trace reader knows this format; {_beginning(head)}{self._nearest(head)}",
                file=str(path),
                hint=f"Tried:{''.join(tried) or ' none is installed'}",
            )
        )

    def check_roles(self, path: Path, reader: Registered[TraceReaderSpec]) -> None:
        """Check that the reader supports ``ReadOptions.roles``.

        Raises:
            InputError: it does not, because its format itself names the author of every message.
        """
        if not reader.spec.maps_roles:
            able = ", ".join(sorted(one.spec.name for one in self._readers if one.spec.maps_roles))
            raise InputError(
                Problem(
                    what=f"roles cannot be mapped: {reader.spec.name} reads a format that already identifies the author of every message",
                    file=str(path),
                    hint=f"Leave out --roles, or name one of these with --reader: {able or 'none is installed'}.",
                )
            )

    def _nearest(self, head: bytes) -> str:
        """Message with the formats whose keys are most similar to the file's, and the keys that the file lacks.

        Empty if no format shares at least two keys with the file.
        """
        specs = {registered.spec.name: registered.spec.keys for registered in self._readers}
        found = {
            name: [key for key in keys if re.search(rb'"' + re.escape(key.encode()) + rb'"\s*:', head)]
            for name, keys in specs.items()
        }
        shares = {name: len(found[name]) / len(keys) for name, keys in specs.items() if len(found[name]) > 1}
        most = max(shares.values(), default=0.0)
        said = [
            f"{name}, {_quoted(found[name])} are there"
            + (f" and {_quoted(missed)} {'are' if len(missed) > 1 else 'is'} not" if missed else "")
            for name, share in shares.items()
            if share == most
            for missed in [[key for key in specs[name] if key not in found[name]]]
        ]
        return f". Nearest: {'; '.join(said[:_NEAREST])}" if said else ""

    def read(
        self, path: Path, reader: Registered[TraceReaderSpec], options: ReadOptions | None = None
    ) -> Iterator[Trajectory]:
        """Read the trajectories of a log one at a time.

        Raises:
            InputError: the file is invalid; the problem names the place.
            PluginError: the reader raised another exception, or returned something other than trajectories.
        """
        made, source = self._made(reader), self._source(path)
        read = each(
            reader,
            "read",
            lambda: made.read(source, options or ReadOptions()),
            passing=(AdjudgeError,),
        )
        for trajectory in read:
            yield self._with_the_keys(
                _with_mended(returned(reader, "read", trajectory, Trajectory), source), path
            )

    def _with_the_keys(self, trajectory: Trajectory, path: Path) -> Trajectory:
        """The trajectory. If it contains nothing of the agent, the keys of the file are added to ``lost``."""
        if trajectory.nothing_of_the_agent is None:
            return trajectory
        has = f"the agent's part: the file begins with {_outline(self._head(path))[1]}"
        return trajectory.model_copy(update={"lost": (*trajectory.lost, has)})

    def _made(self, registered: Registered[TraceReaderSpec], *, takes_part: bool = True) -> TraceReader:
        return make(registered, configured(registered, {}), self._host, takes_part=takes_part)

    def _source(self, path: Path) -> Source:
        return Source(self._host.working_folder / path)

    def _head(self, path: Path) -> bytes:
        try:
            with (self._host.working_folder / path).open("rb") as file:
                is_packed = file.read(2) == b"\x1f\x8b"
                file.seek(0)
                return (gzip.GzipFile(fileobj=file) if is_packed else file).read(_HEAD)
        except (OSError, EOFError, zlib.error) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise InputError(Problem(what=f"cannot be read: {reason}", file=str(path))) from None


def _quoted(keys: Sequence[str]) -> str:
    *first, last = (f"'{key}'" for key in keys)
    return f"{', '.join(first)} and {last}" if first else last


def _with_mended(trajectory: Trajectory, source: Source) -> Trajectory:
    """The trajectory, with repairs of its JSON added to ``lost``."""
    if not source.mended:
        return trajectory
    texts = [what if times == 1 else f"{what} ({times} times)" for what, times in source.mended.items()]
    source.mended.clear()
    return trajectory.model_copy(update={"lost": (*trajectory.lost, *texts)})


def _beginning(head: bytes) -> str:
    """Description of the beginning of a file of unknown format, for a message, with any JSON error in it."""
    first, said = _outline(head)
    broken: Problem | None = None
    if len(head) < _HEAD:
        stream = JsonStream(io.BytesIO(head), "")
        try:
            while stream.peek():
                stream.value()
        except InputError as error:
            broken = error.problems[0]
    if broken is not None and (broken.line is None or not first):
        return f"it is {broken.what.rstrip('.')}"
    said = f"the file begins with {said}"
    if broken is None or first not in ("{", "["):
        return said
    return f"{said}; it breaks off in line {broken.line}, column {broken.column}: {broken.what}"


def _outline(head: bytes) -> tuple[str, str]:
    """The first non-blank character of a file; and a description of the keys of its first object."""
    stream = JsonStream(io.BytesIO(head), "")
    first, is_empty = "", False
    keys: list[str] = []
    with suppress(InputError):  # the JSON is invalid or longer than the head: use the keys before that
        first = stream.peek()
        if first == "[":
            is_empty = next(stream.elements(), None) is None
        if stream.peek() == "{":
            for key in stream.members():
                keys.append(key)
                stream.value()
            is_empty = first == "{" and not keys
    if first not in ("{", "["):
        return first, "neither a JSON object nor a list"
    if is_empty:
        return first, "an empty object" if first == "{" else "an empty list"
    named = ", ".join(keys[:_KEYS_SHOWN]) + (", ..." if len(keys) > _KEYS_SHOWN else "")
    found = f"an object with the keys {named}" if keys else "no object that has keys"
    return first, found if first == "{" else f"a list, and in it {found}"
