"""Fixtures for trace readers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.plugin import InputError, ReadOptions, Source, TraceReader

_READ = """
import importlib, resource, sys
from pathlib import Path
from adjudge.plugin import ReadOptions, Source

(spec,) = importlib.import_module(sys.argv[1]).trace_readers()
reader = spec.factory(spec.config(), None)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
steps = sum(len(trajectory.steps) for trajectory in reader.read(Source(Path(sys.argv[2])), ReadOptions()))
print(steps, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.fixture
def steps_and_growth() -> Callable[[str, Path], tuple[int, int]]:
    """Read a log in a process of its own: how many steps it has, and how many bytes the process grew by at most."""
    pytest.importorskip("resource", reason="this system does not tell a process's peak memory")
    unit = 1 if sys.platform == "darwin" else 1024

    def read(plugin: str, path: Path) -> tuple[int, int]:
        done = subprocess.run(
            [sys.executable, "-c", _READ, plugin, path], capture_output=True, text=True, check=True
        )
        steps, grown = map(int, done.stdout.split())
        return steps, grown * unit

    return read


@pytest.fixture
def refusal(tmp_path: Path) -> Callable[[TraceReader, str, str], str]:
    """Write a log that is broken: what the reader says of it, which names the file."""

    def read(reader: TraceReader, name: str, content: str) -> str:
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(InputError) as caught:
            list(reader.read(Source(path), ReadOptions()))
        assert name in str(caught.value)
        return str(caught.value)

    return read
