"""What every trace reader must keep."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final
from unittest import SkipTest

from adjudge.errors import InputError
from adjudge.extension.protocols import ReadOptions, Source, TraceReader
from adjudge.extension.specs import TraceReaderSpec
from adjudge.model.trajectory import Trajectory
from adjudge.testing.conformance.component import ComponentConformance

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

    def _sample(self) -> bytes:
        if self.sample is None:
            raise SkipTest("no sample is given")
        return self.sample

    def _read(self, folder: Path) -> list[Trajectory]:
        path = folder / self.sample_name
        path.write_bytes(self._sample())
        reader: TraceReader = self.build(folder)
        return list(reader.read(Source(path), ReadOptions()))
