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
from adjudge.extension.loader import Extensions, discover
from adjudge.testing import as_candidate
from adjudge.testing.log_runs import judged_sync

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


# --- logs -------------------------------------------------------------------------------


def test_every_format_tells_the_same_run(tool: Tool, tmp_path: Path) -> None:
    agent_logs = tool("agent_logs")
    logs = [agent_logs.write(tmp_path / f"{at}.json", kind, 50) for at, kind in enumerate(agent_logs.FORMATS)]

    judged = judged_sync(logs, aggregate_only=True, granularity="step_level", token_budget=200_000)

    assert not judged.errors
    assert [log.reader.partition("/")[2] for log in judged.logs] == [
        "history_log",
        "openai_messages",
        "atif",
        "otel_genai",
        "adk_session",
        "browser_use",
    ]
    for log in judged.logs:
        # The answer that a chat ends with is a message, and so a step of its own.
        assert log.steps == (51 if log.reader.endswith("openai_messages") else 50)
        lines = log.aggregated_steps[0].aggregated_content.splitlines()
        for move, line in zip(agent_logs.moves(50), lines, strict=False):
            assert move.result[:20] in line.rpartition("-> [")[2]


def test_large_logs_are_as_large_as_they_say_and_are_read(tool: Tool, tmp_path: Path) -> None:
    log_memory = tool("log_memory")
    size = 3 << 20
    paths = [tmp_path / f"{at}.json" for at in range(len(log_memory.LOGS))]
    for path, (write, _) in zip(paths, log_memory.LOGS.values(), strict=True):
        write(path, size)
        assert size <= path.stat().st_size < size + (1 << 20)

    pictures, runs, huge = (judged_sync(path, aggregate_only=True).logs for path in paths)

    assert [(len(log.lost), log.steps) for log in pictures] == [(1, 3)]
    assert "screenshots" in pictures[0].lost[0]
    assert {log.steps for log in runs} == {100}
    assert len(runs) > 20
    assert [(log.steps, log.lost) for log in huge] == [(30, ())]


@pytest.mark.parametrize(("answer", "verdict"), [("met", "PASS"), ("not_met", "FAIL")])
def test_what_is_asked_of_a_judge_is_counted(tool: Tool, tmp_path: Path, answer: str, verdict: str) -> None:
    judge_calls, judge = tool("judge_calls"), tool("scripted_judge_plugin")
    log = tool("agent_logs").write(tmp_path / "log.json", "history log", 30)

    judged = judged_sync(
        log,
        judge_calls.CRITERIA,
        judge=f"scripted/{answer}",
        num_samples=1,
        use_cache=False,
        extensions=Extensions([*discover(), as_candidate("scripted-judge", judge)]),
    )

    assert not judged.errors
    [run] = judged.logs
    assert [result.verdict for result in run.results] == [verdict] * len(judge_calls.CRITERIA)
    # Two criteria speak of each granularity.
    assert sorted(result.used_granularity for result in run.results) == [
        *["global_summary"] * 2,
        *["phase_level"] * 2,
        *["step_level"] * 2,
    ]
    assert len(judge.tokens) == judged.judges[f"scripted/{answer}"].calls
    assert max(judge.tokens) <= judge_calls.BUDGET
    assert sum(judge.written) < len(judge.written)
