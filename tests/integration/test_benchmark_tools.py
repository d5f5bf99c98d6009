"""The tools of the benchmarks: what they say must be right before any figure is."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from adjudge import evaluate_sync

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
Tool = Callable[[str], ModuleType]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tool]:
    """Import a module of the benchmarks, which are scripts and no package."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS / "workers"))
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in set(sys.modules) - known:
        if not name.startswith(("adjudge.", "adjudge_plugins")):
            del sys.modules[name]


def test_a_ratio_says_how_many_times_better_adjudge_is(tool: Tool) -> None:
    table = tool("table")
    rows = [
        table.Row("start", "s", 4.48, 0.56, table.faster(8)),
        table.Row("words", "turns/s", 936, 9360, table.faster(12)),
        table.Row("kernel", "turns/s", 300_000, 299_999, table.faster(1)),
        table.Row("disk", "KiB/turn", 28, 1.5, table.at_most(2)),
        table.Row("memory", "MiB", 422, 84.4),
    ]

    assert table.comparison(rows, "other").splitlines()[2:] == [
        "| start | s | 4.48 | 0.56 | 8x | 8x | yes |",
        "| words | turns/s | 936 | 9,360 | 10x | 12x | no |",
        "| kernel | turns/s | 300,000 | 300,000 | 1x | not slower | no |",
        "| disk | KiB/turn | 28 | 1.5 | 18.7x | at most 2 | yes |",
        "| memory | MiB | 422 | 84.4 | 5x |  |  |",
    ]


def test_sides_take_turns_and_the_warm_up_is_not_kept(tool: Tool) -> None:
    order: list[str] = []

    def side(name: str) -> Callable[[], int]:
        return lambda: order.append(name) or len(order)  # type: ignore[func-returns-value]

    kept = tool("measure").in_turns({"a": side("a"), "b": side("b")}, 2)

    assert "".join(order) == "ababab"
    assert kept == {"a": [3, 5], "b": [4, 6]}


def test_a_process_is_measured_by_itself(tmp_path: Path) -> None:
    # From a small process, as the benchmarks do: a child's peak begins with that of its parent.
    code = (
        "import pathlib, sys, measure\n"
        "program = 'print(len(bytearray(200 << 20)))'\n"
        "sample = measure.process([sys.executable, '-c', program], pathlib.Path.cwd())\n"
        "print(sample.output.strip(), sample.peak_bytes, sample.seconds)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(BENCHMARKS)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    output, peak_bytes, seconds = done.stdout.split()

    assert output == str(200 << 20)
    assert 200 << 20 <= int(peak_bytes) < 300 << 20
    assert float(seconds) > 0


def test_a_process_that_fails_stops_the_benchmark_with_what_it_said(tool: Tool, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)ended with 3.*out of paper"):
        tool("measure").process(
            [sys.executable, "-c", "import sys; print('out of paper'); sys.exit(3)"], tmp_path
        )


def test_the_scripted_agent_does_what_the_eval_set_expects(tool: Tool, tmp_path: Path) -> None:
    eval_set = tool("eval_sets").write(tmp_path / "scripted.evalset.json", 3, 2)

    assert evaluate_sync(tool("adjudge_agent").agent, eval_set).summary.counts == {"PASS": 3}


def test_every_so_many_recordings_are_wrong(tool: Tool, tmp_path: Path) -> None:
    eval_sets = tool("eval_sets")
    eval_set = eval_sets.write(tmp_path / "scripted.evalset.json", 6, 2)
    recorded = eval_sets.write(tmp_path / "recorded.evalset.json", 6, 2, wrong_every=3)

    result = evaluate_sync(f"recorded:{recorded}", eval_set)
    assert [case.status for case in result.cases()] == ["FAIL", "PASS", "PASS", "FAIL", "PASS", "PASS"]
