"""Reading alone: ``adjudge.read_log`` beside ``json.load`` of the same file, as ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import agent_logs
from environments import Environments
from measure import in_turns, median, worker
from table import markdown, rounded

STEPS: Final = 20_000
TIME_GOAL: Final = 5
"""Times ``json.load``."""
MEMORY_GOAL: Final = 2


@dataclass(frozen=True, slots=True)
class Ratio:
    """One format: medians."""

    kind: str
    mib: float
    json_seconds: float
    seconds: float
    """Both of the processor."""
    json_mib: float
    grown_mib: float
    """By how much the process grew at most."""


def ratios(environments: Environments, rounds: int) -> Iterator[Ratio]:
    """Every format."""
    folder = environments.folder("alone")
    for kind in agent_logs.FORMATS:
        log = agent_logs.write(folder / f"{kind.replace(' ', '_')}-{STEPS}.json", kind, STEPS)
        found = in_turns(
            {
                side: lambda side=side, log=log: worker(environments.adjudge, "log_read", folder, side, log)
                for side in ("json", "adjudge")
            },
            rounds,
        )
        seconds, grown = (
            {side: median([sample[key] for sample in samples]) for side, samples in found.items()}
            for key in ("seconds", "grown_bytes")
        )
        yield Ratio(
            kind=kind,
            mib=log.stat().st_size / 2**20,
            json_seconds=seconds["json"],
            seconds=seconds["adjudge"],
            json_mib=grown["json"] / 2**20,
            grown_mib=grown["adjudge"] / 2**20,
        )


def listed(found: Sequence[Ratio]) -> str:
    """A Markdown table."""
    return markdown(
        ["log", "MiB", "`json` s", "adjudge s", "times", "`json` MiB", "adjudge MiB", "times the memory"],
        [
            [
                ratio.kind,
                rounded(ratio.mib),
                rounded(ratio.json_seconds),
                rounded(ratio.seconds),
                f"{rounded(ratio.seconds / ratio.json_seconds)}x",
                f"{ratio.json_mib:.0f}",
                f"{ratio.grown_mib:.0f}",
                f"{rounded(ratio.grown_mib / ratio.json_mib)}x",
            ]
            for ratio in found
        ],
    )
