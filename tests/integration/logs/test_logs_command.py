"""``adjudge logs``: what a person is shown of a log, and what is made out of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.kit.adk import open_eval_set

TASK = ["--task", "Buy the cheapest milk."]
"""For logs that name none."""


def test_a_run_is_shown_as_a_person_reads_it(
    adjudge: Callable[..., Any], small_logs: dict[str, Path]
) -> None:
    done = adjudge("logs", "show", small_logs["langfuse"])
    assert (done.returncode, done.stderr) == (0, "")
    [run] = read_log(small_logs["langfuse"])
    tokens = sum(step.usage.input_tokens or 0 for step in run.steps if step.usage)
    for shown in (
        "run 1, 1 turn, 3 steps, 2 calls",
        "task        Buy the cheapest milk.",
        "speakers    buyer",
        "models      gpt-4o",
        f"spent       {tokens} tokens in, 30 tokens out, cost 0.003",
        "thinks      I need a list of what there is.",
        "calls       search(query=milk)",
        "result      17: milk, 1.09. 18: oat milk, 1.49.",
        "answer      The cheapest milk is in your cart.",
    ):
        assert shown in done.stdout, shown


def test_phases_and_long_texts(adjudge: Callable[..., Any], tmp_path: Path) -> None:
    steps = [
        {
            "step": at + 1,
            "thinking": "t",
            "memory": "m" * 700,
            "action": f'look("{at}")',
            "url": f"https://{at // 4}.example/",
        }
        for at in range(12)
    ]
    (tmp_path / "log.json").write_text(json.dumps({"task": "Look.", "steps": steps}))
    done = adjudge("logs", "show", "log.json")
    assert "phase A (steps 1-" in done.stdout
    assert "phase B (steps " in done.stdout
    assert "… 100 characters more: --full" in done.stdout
    whole = adjudge("logs", "show", "log.json", "--full").stdout
    assert "m" * 700 in whole


def test_every_example_is_shown_and_converted(
    adjudge: Callable[..., Any], small_logs: dict[str, Path], tmp_path: Path
) -> None:
    from click.testing import CliRunner

    from adjudge.cli import cli

    for name, path in small_logs.items():
        runner = CliRunner()
        shown = runner.invoke(cli, ["logs", "show", str(path)])
        assert shown.exit_code == 0, shown.output
        [run] = read_log(path)
        history, cases = tmp_path / f"{name}.history.json", tmp_path / f"{name}.evalset.json"
        for form, output in (("history_log", history), ("eval_set", cases)):
            made = runner.invoke(
                cli, ["logs", "convert", str(path), "--to", form, "--output", str(output), *TASK]
            )
            assert made.exit_code == 0, made.output
        steps = json.loads(history.read_text())
        seed = {"step", "thinking", "memory", "action", "next_goal", "evaluation_previous_goal"}
        assert all(step.keys() >= seed for step in steps), name
        assert [step["step"] for step in steps] == [step.number for step in run.steps], name
        [again] = read_log(history, reader="history_log")
        assert [(call.name, call.args or call.raw_args) for step in again.steps for call in step.calls] == [
            (call.name, call.args or call.raw_args) for step in run.steps for call in step.calls
        ], name
        assert [step.thinking for step in again.steps] == [step.thinking for step in run.steps], name
        assert [result.value for step in again.steps for result in step.results] == [
            result.value for step in run.steps for result in step.results
        ], name
        answer = run.invocations[-1].final_response
        if answer is not None:
            assert answer.text in json.dumps(steps[-1], ensure_ascii=False), name
        [entry] = open_eval_set(cases).entries
        assert entry.turns == len(run.invocations), name


def test_what_a_user_said_later_is_observed_and_nothing_is_replaced(
    adjudge: Callable[..., Any], tmp_path: Path
) -> None:
    log = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Milk?"},
        {"role": "assistant", "content": "Yes."},
    ]
    (tmp_path / "log.json").write_text(json.dumps(log))
    done = adjudge("logs", "convert", "log.json", "--to", "history_log")
    first, second = json.loads(done.stdout)
    assert (first["action"], first["observation"], second["action"]) == ("Hello.", "user: Milk?", "Yes.")
    assert "--task" in done.stderr
    refused = adjudge("logs", "convert", "log.json", "--to", "eval_set", "--output", "log.json")
    assert refused.returncode == 2
    assert "the file exists" in refused.stderr
    assert json.loads((tmp_path / "log.json").read_text()) == log


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--to", "history_log"], "this log has 2 runs"),
        (["--to", "eval_set", "--run", "3"], "there is no run 3"),
    ],
)
def test_a_log_of_several_runs(
    adjudge: Callable[..., Any], tmp_path: Path, options: list[str], said: str
) -> None:
    rows = [
        {"messages": [{"role": "user", "content": name}, {"role": "assistant", "content": "Yes."}]}
        for name in "ab"
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = adjudge("logs", "convert", "log.jsonl", *options)
    assert done.returncode == 2
    assert said in done.stderr
    both = json.loads(adjudge("logs", "convert", "log.jsonl", "--to", "eval_set").stdout)
    assert [case["eval_id"] for case in both["eval_cases"]] == ["0", "1"]
    one = adjudge("logs", "show", "log.jsonl", "--run", "2").stdout
    assert "run 2" in one
    assert "run 1" not in one


@pytest.mark.parametrize("form", ["history_log", "eval_set"])
def test_a_run_without_steps_and_answer_is_not_converted(
    adjudge: Callable[..., Any], tmp_path: Path, form: str
) -> None:
    (tmp_path / "log.json").write_text(json.dumps([{"role": "user", "content": "Go."}]))
    done = adjudge("logs", "convert", "log.json", "--to", form, "--output", "out.json")
    assert done.returncode == 2
    assert "no step and no answer of the agent was read" in done.stderr
    assert not (tmp_path / "out.json").exists()
