"""Scoring what already happened, from an eval-set file: against google-adk, then alone at growing sizes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import eval_sets
import storage
from environments import Environments, script
from measure import Sample, in_turns, median, process
from table import Row, Scale, faster

_CASES: Final = 400
_TURNS: Final = 4
_WRONG_EVERY: Final = 10
"""Every tenth recording fails, so that failures are explained and stored too."""

_ROUNDS: Final = 3
"""At most: one round takes google-adk minutes."""

_AGENT: Final = "scripted_agent"
_WORKER: Final = Path(__file__).parent / "workers" / "adk_scoring.py"


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Whole processes with the default criteria, from the file to the stored results."""
    folder, eval_set, recorded = _files(environments, _CASES)

    def adk(manager: str) -> Sample:
        shutil.rmtree(eval_set.parent / ".adk", ignore_errors=True)
        sample = process([environments.adk, _WORKER, manager, _AGENT, eval_set, recorded], folder)
        _check(int(sample.output))
        return sample

    def adjudge() -> Sample:
        sample = _adjudge(environments, folder, eval_set, recorded)
        report = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        _check(report["summary"]["counts"]["PASS"])
        return sample

    found = in_turns(
        {"id": lambda: adk("local"), "file": lambda: adk("memory"), "adjudge": adjudge}, min(rounds, _ROUNDS)
    )
    by_id, by_file, own = (median([sample.seconds for sample in samples]) for samples in found.values())
    work = f"score {_CASES} recorded cases x {_TURNS} turns"
    yield Row(f"{work}, eval set by id (`adk eval AGENT ID`, `adk web`)", "s", by_id, own, faster(50))
    yield Row(f"{work}, eval set by file (`adk eval AGENT FILE`)", "s", by_file, own)
    yield from storage.rows(
        f"{_CASES} recorded cases x {_TURNS} turns", _CASES * _TURNS, adk=eval_set.parent, adjudge=folder
    )


def sizes(environments: Environments, sizes: Sequence[int]) -> Iterator[Scale]:
    """adjudge alone, one run a size."""
    for cases in sizes:
        folder, eval_set, recorded = _files(environments, cases)
        sample = _adjudge(environments, folder, eval_set, recorded)
        yield Scale(cases, cases * _TURNS, sample.seconds, sample.peak_bytes / 2**20)
        shutil.rmtree(folder)


def _adjudge(environments: Environments, folder: Path, eval_set: Path, recorded: Path) -> Sample:
    shutil.rmtree(folder / ".adjudge", ignore_errors=True)
    command = [script(environments.adjudge, "adjudge"), "eval", f"recorded:{recorded}", eval_set]
    return process([*command, "--output", "result.json"], folder, statuses=(1,))


def _files(environments: Environments, cases: int) -> tuple[Path, Path, Path]:
    folder = environments.folder(f"scoring/{cases}")
    eval_set = folder / _AGENT / f"{eval_sets.EVAL_SET_ID}.evalset.json"
    eval_set.parent.mkdir(exist_ok=True)
    eval_sets.write(eval_set, cases, _TURNS)
    recorded = eval_sets.write(folder / "recorded.evalset.json", cases, _TURNS, wrong_every=_WRONG_EVERY)
    return folder, eval_set, recorded


def _check(passed: int) -> None:
    expected = _CASES - _CASES // _WRONG_EVERY
    if passed != expected:
        raise RuntimeError(f"{passed} cases passed, expected {expected}")
