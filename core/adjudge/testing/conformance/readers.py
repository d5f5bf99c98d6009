"""What every trace reader must keep."""

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

_RUBBISH: Final = {
    "empty": b"",
    "binary": bytes(range(256)) * 16,
    "another_format": b"Date: Mon, 1 Jan 2024\n\nhello\n",
    "json_null": b"null",
    "json_list": b"[1, 2, 3]",
    "lone_surrogate": b'{"a": "\\ud800"}',
    "deep": b"[" * 100_000,
}

# A head ends anywhere, so a reader may well recognise this as its own. Reading it must fail all the same.
_CUT: Final = {"half_a_string": b'{"messages": [{"role": "user", "content": "hel'}


_VARIANTS: Final = 120
"""Logs with something odd in one place."""
_CUTS: Final = 40
"""Logs that break off."""


class TraceReaderConformance(ComponentConformance[TraceReaderSpec]):
    """Subclass it, set ``component`` and ``sample``: a log as the reader takes it."""

    kind: ClassVar[str] = "trace_readers"
    sample: ClassVar[bytes | None] = None
    """The bytes of a log with at least one step."""
    sample_name: ClassVar[str] = "sample.json"

    def test_rubbish_is_not_recognised(self, tmp_path: Path) -> None:
        """Every reader is asked about every file: it answers no, and never raises."""
        reader: TraceReader = self.build(tmp_path)
        for name, head in _RUBBISH.items():
            assert reader.sniff(head[: 64 * 1024], tmp_path / "log.json") is False, f"{name} was recognised"

    def test_rubbish_is_refused_with_a_message(self, tmp_path: Path) -> None:
        """A broken file is an ``InputError`` that names it."""
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
        """The content decides, whatever the file is called."""
        reader: TraceReader = self.build(tmp_path)
        assert reader.sniff(self._sample()[: 64 * 1024], tmp_path / "any-name") is True

    def test_steps_have_unique_numbers_and_a_place_in_the_source(self, tmp_path: Path) -> None:
        """A citation names a step by its number, and a reader of it looks the place up."""
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
        """What was read is written to the journal and read again."""
        for trajectory in self._read(tmp_path):
            assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory

    def test_reading_twice_gives_the_same(self, tmp_path: Path) -> None:
        """A reader holds nothing back between files."""
        assert self._read(tmp_path) == self._read(tmp_path)

    def test_a_log_with_something_odd_in_it_is_read_or_refused(self, tmp_path: Path) -> None:
        """Whatever stands in one place of a log: there are runs of it or an ``InputError``, and nothing else."""
        try:
            document = json.loads(self._sample())
        except ValueError:
            raise SkipTest("the sample is not one JSON document") from None
        reader: TraceReader = self.build(tmp_path)
        for variant in odd_documents(document, _VARIANTS):
            self._read_or_refuse(reader, variant, tmp_path)

    def test_a_log_that_breaks_off_is_read_or_refused(self, tmp_path: Path) -> None:
        """A run that was killed leaves half a file."""
        sample = self._sample()
        reader: TraceReader = self.build(tmp_path)
        for part in range(_CUTS):
            self._read_or_refuse(reader, sample[: len(sample) * part // _CUTS], tmp_path)

    def test_a_packed_log_is_read_as_it_is(self, tmp_path: Path) -> None:
        """Logs are kept packed by gzip, which ``Source.open`` undoes whatever their names; half of one is refused."""
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
        if self.sample is None:
            raise NotRun("no sample of a log is given")
        return self.sample

    def _read(self, folder: Path) -> list[Trajectory]:
        path = folder / self.sample_name
        path.write_bytes(self._sample())
        reader: TraceReader = self.build(folder)
        return list(reader.read(Source(path), ReadOptions()))
