"""Conformance tests of trace readers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import ClassVar, Final
from unittest import SkipTest

from adjudge.errors import InputError
from adjudge.extension.protocols import ReadOptions, Source, TraceReader
from adjudge.extension.specs import TraceReaderSpec
from adjudge.model.trajectory import Trajectory
from adjudge.testing.conformance.component import ComponentConformance, NotRun
from adjudge.testing.conformance.odd_json import odd_documents
from adjudge.testing.conformance.watching import watched

_RUBBISH: Final = {
    "empty": b"",
    "binary": bytes(range(256)) * 16,
    "another_format": b"Date: Mon, 1 Jan 2024\n\nhello\n",
    "json_null": b"null",
    "json_list": b"[1, 2, 3]",
    "lone_surrogate": b'{"a": "\\ud800"}',
    "deep": b"[" * 100_000,
}

# The head of a file may end anywhere, so a reader may recognise this. Reading it must still fail.
_CUT: Final = {"half_a_string": b'{"messages": [{"role": "user", "content": "hel'}


_VARIANTS: Final = 120
"""The number of tested logs with one unusual value."""
_CUTS: Final = 40
"""The number of tested truncated logs."""


class TraceReaderConformance(ComponentConformance[TraceReaderSpec]):
    """Tests of a trace reader. Subclass it, and set ``component``; ``sample`` is a log in the reader's format.

    Without ``sample`` the ``example_log`` of the spec is read.
    """

    kind: ClassVar[str] = "trace_readers"
    sample: ClassVar[bytes | None] = None
    """The bytes of a log with at least one step; ``None``: the ``example_log`` of the spec."""
    sample_name: ClassVar[str] = "sample.json"

    def test_rubbish_is_not_recognised(self, tmp_path: Path) -> None:
        """``sniff`` returns false for other files, and never raises."""
        reader: TraceReader = self.build(tmp_path)
        for name, head in _RUBBISH.items():
            found = self._sniffed(reader, head, tmp_path / "log.json")
            assert not found, f"{name} was recognised"

    def test_rubbish_is_refused_with_a_message(self, tmp_path: Path) -> None:
        """Reading an invalid file raises an ``InputError`` that names the file."""
        reader: TraceReader = self.build(tmp_path)
        for name, content in (_RUBBISH | _CUT).items():
            path = tmp_path / f"{name}.json"
            path.write_bytes(content)
            try:
                list(reader.read(Source(path), ReadOptions()))
            except InputError as error:
                assert path.name in str(error), f"the message does not name the file: {error}"
            else:
                raise AssertionError(f"{name} was read as a log")

    def test_the_sample_is_recognised(self, tmp_path: Path) -> None:
        """``sniff`` recognises the sample by its content, not by its name."""
        reader: TraceReader = self.build(tmp_path)
        sample = self._sample()
        assert self._sniffed(reader, sample, tmp_path / "any-name"), "the sample was not recognised"
        assert self._sniffed(reader, sample.rstrip()[:-1], tmp_path / "any-name"), (
            "cut off by one byte, the sample was not recognised: of a larger file `sniff` gets the first 64 KiB alone"
        )

    def test_steps_have_unique_numbers_and_a_place_in_the_source(self, tmp_path: Path) -> None:
        """Every step has a unique number, which citations use, and a place in the source."""
        trajectories = self._read(tmp_path)
        assert any(trajectory.steps for trajectory in trajectories), "the sample has no step"
        for trajectory in trajectories:
            numbers = [step.number for step in trajectory.steps]
            assert numbers == sorted(set(numbers)), (
                f"step numbers are not unique and increasing: {numbers[:20]}"
            )
            assert all(step.source_ref for step in trajectory.steps), "a step has no source_ref"
            assert trajectory.source, "the trajectory does not say where it was read from"

    def test_trajectories_survive_json(self, tmp_path: Path) -> None:
        """Trajectories are unchanged after a round trip through JSON, as in the journal."""
        for trajectory in self._read(tmp_path):
            assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory

    def test_reading_twice_gives_the_same(self, tmp_path: Path) -> None:
        """Reading the same log twice gives equal trajectories."""
        assert self._read(tmp_path) == self._read(tmp_path)

    def test_a_log_with_something_odd_in_it_is_read_or_refused(self, tmp_path: Path) -> None:
        """A log with one unusual value gives trajectories or an ``InputError``, and no other exception."""
        try:
            document = json.loads(self._sample())
        except ValueError:
            raise SkipTest("the sample is not one JSON document") from None
        reader: TraceReader = self.build(tmp_path)
        for variant in odd_documents(document, _VARIANTS):
            self._read_or_refuse(reader, variant, tmp_path)

    def test_a_log_that_breaks_off_is_read_or_refused(self, tmp_path: Path) -> None:
        """A truncated log, as of a killed run, gives trajectories or an ``InputError``."""
        sample = self._sample()
        reader: TraceReader = self.build(tmp_path)
        for part in range(_CUTS):
            self._read_or_refuse(reader, sample[: len(sample) * part // _CUTS], tmp_path)

    def test_a_packed_log_is_read_as_it_is(self, tmp_path: Path) -> None:
        """A log compressed with gzip is read like the log itself; a truncated gzip file is an error."""
        whole = self._read(tmp_path)
        packed = gzip.compress(self._sample())
        path = tmp_path / self.sample_name
        path.write_bytes(packed)
        reader: TraceReader = self.build(tmp_path)
        try:
            unpacked = list(reader.read(Source(path), ReadOptions()))
        except InputError as error:
            raise SkipTest(f"it does not read what is packed: {error}") from None
        assert unpacked == whole
        half = self._read_or_refuse(reader, packed[: len(packed) // 2], tmp_path)
        assert not half, "half of a packed log was read as a whole one"

    @staticmethod
    def _sniffed(reader: TraceReader, content: bytes, path: Path) -> bool:
        with watched("sniff", network="forbidden", never_waits=True):
            found: object = reader.sniff(content[: 64 * 1024], path)
        assert isinstance(found, bool), f"sniff gave {type(found).__name__}; expected True or False"
        return found

    def _read_or_refuse(self, reader: TraceReader, content: bytes, folder: Path) -> list[Trajectory]:
        path = folder / "odd.json"
        path.write_bytes(content)
        try:
            return list(reader.read(Source(path), ReadOptions()))
        except InputError as error:
            assert path.name in str(error), f"the message does not name the file: {error}"
            return []
        except Exception as error:
            shown = content[:2000].decode(errors="replace")
            raise AssertionError(f"{type(error).__name__}: {error}, while reading {shown}") from error

    def _sample(self) -> bytes:
        sample = self.spec.example_log if self.sample is None else self.sample
        if sample is None:
            raise NotRun("there is no sample of a log: its spec has no example_log")
        return sample

    def _read(self, folder: Path) -> list[Trajectory]:
        path = folder / self.sample_name
        path.write_bytes(self._sample())
        reader: TraceReader = self.build(folder)
        with watched("read", network="forbidden"):
            found = list(reader.read(Source(path), ReadOptions()))
        for each in found:
            assert isinstance(each, Trajectory), f"read gave {type(each).__name__}; expected Trajectory"  # pyright: ignore[reportUnnecessaryIsInstance]
        assert path.read_bytes() == self._sample(), "the log was changed"
        return found
