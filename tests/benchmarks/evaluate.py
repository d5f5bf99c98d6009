"""Evaluating a scripted agent with the default criteria: ``adk eval`` against ``adjudge eval``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import eval_sets
import storage
from environments import Environments, script
from measure import Sample, in_turns, median, process
from table import Row, Target, faster

_AGENT: Final = "scripted_agent"
_HERE: Final = Path(__file__).parent
_TURNS: Final = 2


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Wall time and peak memory of whole processes, then what was stored."""
    folder = _workspace(environments)
    yield from _evaluation(environments, folder, rounds, 1, faster(8), faster(5))
    yield from _evaluation(environments, folder, rounds, 50, faster(10), None)
    yield from storage.rows(f"50 cases x {_TURNS} turns", 50 * _TURNS, adk=folder / _AGENT, adjudge=folder)


def _evaluation(
    environments: Environments, folder: Path, rounds: int, cases: int, time: Target, memory: Target | None
) -> Iterator[Row]:
    eval_set = eval_sets.write(folder / f"{cases}_cases.evalset.json", cases, _TURNS)

    def adk() -> Sample:
        shutil.rmtree(folder / _AGENT / ".adk", ignore_errors=True)
        return process([script(environments.adk, "adk"), "eval", _AGENT, eval_set.name], folder)

    def adjudge() -> Sample:
        shutil.rmtree(folder / ".adjudge", ignore_errors=True)
        target = "adjudge_agent:agent"
        command = [script(environments.adjudge, "adjudge"), "eval", target, eval_set.name]
        return process([*command, "--output", "result.json"], folder)

    # Both end with status 0 only where every case passed, so that both did the whole work.
    found = in_turns({"adk": adk, "adjudge": adjudge}, rounds)
    work = f"{cases} {'case' if cases == 1 else 'cases'} x {_TURNS} turns"
    seconds = [median([sample.seconds for sample in found[side]]) for side in ("adk", "adjudge")]
    peaks = [median([sample.peak_bytes / 2**20 for sample in found[side]]) for side in ("adk", "adjudge")]
    yield Row(f"evaluate {work}", "s", *seconds, time)
    yield Row(f"evaluate {work}, peak memory", "MiB", *peaks, memory)


def _workspace(environments: Environments) -> Path:
    """A folder with the scripted agent in both forms."""
    folder = environments.folder("evaluate")
    scripted_agents(folder)
    return folder


def scripted_agents(folder: Path) -> None:
    """Put the scripted agent into a folder, as ADK's package and as adjudge's module."""
    package = folder / _AGENT
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    shutil.copy(_HERE / "workers" / "adk_agent.py", package / "agent.py")
    shutil.copy(_HERE / "scripted.py", package)
    shutil.copy(_HERE / "workers" / "adjudge_agent.py", folder)
    shutil.copy(_HERE / "scripted.py", folder)
