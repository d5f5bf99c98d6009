"""Memory on large logs: screenshots, many runs, one huge observation."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import agent_logs
import scripted
from environments import Environments
from log_reading import aggregated
from measure import worker_process
from table import markdown, rounded

MIB: Final = 200
"""Of each file, and a little more."""

_SCREENSHOT: Final = 1 << 20
"""Characters of base64."""

_STEPS_OF_A_RUN: Final = 100
_HERE: Final = "the huge observation"


@dataclass(frozen=True, slots=True)
class Memory:
    """One log, one run of each side."""

    log: str
    mib: float
    json_peak_mib: float
    peak_mib: float
    json_seconds: float
    seconds: float
    """Both of the processor."""


def memories(environments: Environments) -> Iterator[Memory]:
    """Peak memory beside that of ``json.load`` of the same file, which holds all of it."""
    folder = environments.folder("large")
    for log, (write, is_lines) in LOGS.items():
        path = folder / f"{log.replace(' ', '_')}.json"
        if not path.is_file():
            making = path.with_suffix(".part")
            write(making, MIB << 20)
            making.replace(path)
        floor = worker_process(
            environments.adjudge, "json_floor", folder, path, *(["lines"] if is_lines else [])
        )
        sample = aggregated(environments, path, "step_level")
        yield Memory(
            log=log,
            mib=path.stat().st_size / 2**20,
            json_peak_mib=floor.peak_bytes / 2**20,
            peak_mib=sample.peak_bytes / 2**20,
            json_seconds=floor.processor_seconds,
            seconds=sample.processor_seconds,
        )
        path.unlink()


def listed(memories: Sequence[Memory]) -> str:
    """A Markdown table."""
    return markdown(
        [
            "log",
            "MiB",
            "`json` peak MiB",
            "adjudge peak MiB",
            "of the file",
            "`json` processor s",
            "adjudge processor s",
        ],
        [
            [
                memory.log,
                f"{memory.mib:.0f}",
                f"{memory.json_peak_mib:.0f}",
                f"{memory.peak_mib:.0f}",
                f"{memory.peak_mib / memory.mib:.0%}",
                rounded(memory.json_seconds),
                rounded(memory.seconds),
            ]
            for memory in memories
        ],
    )


def screenshots(path: Path, size: int) -> None:
    """A history of browser-use with a picture in every record."""
    chance = random.Random(1)
    steps = -(-size // _SCREENSHOT)
    with path.open("w", encoding="utf-8") as stream:
        stream.write('{"history": [')
        for number, move in enumerate(agent_logs.moves(steps)):
            picture = b"\x89PNG\r\n\x1a\n" + chance.randbytes(_SCREENSHOT * 3 // 4)
            stream.write(",\n" if number else "\n")
            stream.write(json.dumps(agent_logs.browser_record(move, base64.b64encode(picture).decode())))
        stream.write("]}\n")


def many_runs(path: Path, size: int) -> None:
    """JSON Lines: a run of a hundred steps in every line."""
    runs = [
        [agent_logs.history_step(move) for move in agent_logs.moves(_STEPS_OF_A_RUN, seed=seed)]
        for seed in range(20)
    ]
    with path.open("w", encoding="utf-8") as stream:
        number = 0
        while stream.tell() < size:
            run = {"id": f"run-{number}", "task": agent_logs.TASK, "steps": runs[number % len(runs)]}
            stream.write(f"{json.dumps(run)}\n")
            number += 1


def huge_observation(path: Path, size: int) -> None:
    """A history log of thirty steps; one of them observed a text as large as the file."""
    chance = random.Random(1)
    page = json.dumps(" ".join(scripted.sentence(chance, 20) for _ in range(1000)) + "\n")[1:-1]
    steps = [agent_logs.history_step(move) for move in agent_logs.moves(30)]
    steps[14]["observation"] = _HERE
    before, after = json.dumps(steps).split(_HERE)
    with path.open("w", encoding="utf-8") as stream:
        stream.write(before)
        while stream.tell() < size:  # this program stays small: see measure.Sample
            stream.write(page)
        stream.write(after)


LOGS: Final[dict[str, tuple[Callable[[Path, int], None], bool]]] = {
    "one run, a screenshot of 1 MiB in every step": (screenshots, False),
    "many runs of 100 steps, one a line": (many_runs, True),
    "one run of 30 steps, one of them observed everything": (huge_observation, False),
}
"""What is in each, who writes it, and whether it is JSON Lines."""
