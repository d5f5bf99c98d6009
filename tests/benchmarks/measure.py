"""Time and peak memory of processes, and medians of rounds that take turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_RUSAGE_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """One process from its start to its end."""

    seconds: float
    processor_seconds: float
    """Of the program and of the system for it: steadier than ``seconds`` where others use the machine too."""
    peak_bytes: int
    """The largest resident set. A child's begins with that of its parent: this program stays small for that."""
    status: int
    output: str


def process(arguments: Sequence[str | Path], folder: Path, *, statuses: Sequence[int] = (0,)) -> Sample:
    """Run a program in ``folder`` and measure it.

    Raises:
        RuntimeError: its exit status is none of ``statuses``; the message ends with what it said.
    """
    command = [str(argument) for argument in arguments]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        # Pipes would make the child wait for this program to read.
        child = subprocess.Popen(command, cwd=folder, env=_environment(folder), stdout=output, stderr=errors)
        _, wait_status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(wait_status)
        said = _read(output)
        if child.returncode not in statuses:
            raise RuntimeError(
                f"{' '.join(command)} ended with {child.returncode}:\n{said[-2000:]}\n{_read(errors)[-4000:]}"
            )
    return Sample(
        seconds=seconds,
        processor_seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * _RUSAGE_UNIT,
        status=child.returncode,
        output=said,
    )


def worker(python: Path, name: str, folder: Path, *arguments: str | Path) -> Any:
    """Run ``workers/NAME.py``, which measures inside its process, and return the JSON that it printed."""
    return json.loads(worker_process(python, name, folder, *arguments).output)


def worker_process(python: Path, name: str, folder: Path, *arguments: str | Path) -> Sample:
    """Run ``workers/NAME.py`` as a whole process."""
    script = Path(__file__).parent / "workers" / f"{name}.py"
    return process([python, script, *arguments], folder)


def in_turns(sides: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[Any]]:
    """Run A B A B ..., so that both sides see the same machine. The first round is a warm-up and not kept."""
    kept: dict[str, list[Any]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, run in sides.items():
            result = run()
            if number:
                kept[name].append(result)
    return kept


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def _environment(folder: Path) -> dict[str, str]:
    """This environment without what changes how Python starts, or where adjudge keeps its runs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ADJUDGE_"))}
    return {**kept, "PYTHONIOENCODING": "utf-8", "ADJUDGE_HOME": str(folder / ".adjudge"), "NO_COLOR": "1"}


def _read(stream: Any) -> str:
    stream.seek(0)
    text: str = stream.read().decode("utf-8", "replace")
    return text
