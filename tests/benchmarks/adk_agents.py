"""An ``LlmAgent`` of google-adk whose model is a program, run by both: ``adk eval`` against ``adjudge eval`` with adjudge-adk.

What is left of adjudge's time is google-adk itself: its imports, and its runner, which both sides use.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import eval_sets
import storage
from environments import Environments, runner_environment, script
from measure import Sample, in_turns, median, process
from table import Row, Target, faster

_AGENT: Final = "llm_agent"
_HERE: Final = Path(__file__).parent
_TURNS: Final = 2
_MANY: Final = 400


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Wall time and peak memory of whole processes, then what was stored."""
    runner = runner_environment(environments.work)
    folder = environments.folder("adk-agents")
    _write_agent(folder / _AGENT)
    for cases, time, memory in ((1, None, None), (50, faster(3), faster(2.5)), (_MANY, None, None)):
        few = min(rounds, 3) if cases == _MANY else rounds
        yield from _evaluation(environments, runner, folder, few, cases, time, memory)
    yield from storage.rows(
        f"{_MANY} cases x {_TURNS} turns of an LlmAgent",
        _MANY * _TURNS,
        adk=folder / _AGENT,
        adjudge=folder,
    )


def _evaluation(
    environments: Environments,
    runner: Path,
    folder: Path,
    rounds: int,
    cases: int,
    time: Target | None,
    memory: Target | None,
) -> Iterator[Row]:
    eval_set = eval_sets.write(folder / f"{cases}_cases.evalset.json", cases, _TURNS)

    def adk() -> Sample:
        shutil.rmtree(folder / _AGENT / ".adk", ignore_errors=True)
        return process([script(environments.adk, "adk"), "eval", _AGENT, eval_set.name], folder)

    def adjudge() -> Sample:
        shutil.rmtree(folder / ".adjudge", ignore_errors=True)
        command = [script(runner, "adjudge"), "eval", _AGENT, eval_set.name, "--output", "result.json"]
        return process(command, folder)

    # Both end with status 0 only where every case passed, so that both did the whole work.
    found = in_turns({"adk": adk, "adjudge": adjudge}, rounds)
    work = f"evaluate an LlmAgent, {cases} {'case' if cases == 1 else 'cases'} x {_TURNS} turns"
    seconds = [median([sample.seconds for sample in found[side]]) for side in ("adk", "adjudge")]
    peaks = [median([sample.peak_bytes / 2**20 for sample in found[side]]) for side in ("adk", "adjudge")]
    yield Row(work, "s", *seconds, time)
    yield Row(f"{work}, peak memory", "MiB", *peaks, memory)


def _write_agent(package: Path) -> None:
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    shutil.copy(_HERE / "workers" / "adk_llm_agent.py", package / "agent.py")
    shutil.copy(_HERE / "scripted.py", package)
