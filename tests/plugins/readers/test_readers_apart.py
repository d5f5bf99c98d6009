"""Every log of other people's agents is taken by one reader, and read by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.extension.candidates import OWN_DISTRIBUTION
from adjudge.extension.loader import Extensions, discover
from adjudge.kit.logs import open_log
from adjudge.plugin import ReadOptions, Source, TraceReader
from adjudge.testing import FakeHost

NO_LOGS = {"README.md", "LICENSE", "test_config.json"}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TraceReader]:
    own = [candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION]
    host = FakeHost(tmp_path_factory.mktemp("host"))
    return {
        found.spec.name: found.spec.factory(found.spec.config(), host)
        for found in Extensions(own).trace_readers
    }


def test_every_log_is_taken_by_one_reader_which_reads_it(
    shared_data: Path, readers: dict[str, TraceReader]
) -> None:
    for path in sorted(
        path for path in shared_data.rglob("*") if path.is_file() and path.name not in NO_LOGS
    ):
        source = Source(path)
        with open_log(source) as file:
            head = file.read(64 * 1024)
        takers = [name for name, reader in readers.items() if reader.sniff(head, path)]
        assert len(takers) == 1, f"{path} is taken by {takers or 'nobody'}"
        assert sum(1 for _ in readers[takers[0]].read(source, ReadOptions())), f"{path} has no run"
