"""Runs of which nothing of the agent was read: an error of the run, and never a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from adjudge.testing.log_runs import judged_sync

REPEATS = {"criterion": "action_repeats", "maximum": 2}
ASKED = {"role": "user", "content": "Buy milk"}
SPAN = {
    "trace_id": "t", "span_id": "s", "name": "shop", "start_time": 1,
    "attributes": {"openinference.span.kind": "AGENT", "input.value": "Buy milk"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("content", "has"),
    [
        ({"messages": [ASKED], "reply": "Done."}, "an object with the keys messages, reply"),
        ({"appName": "a", "userId": "u", "id": "s1", "events": []}, "an object with the keys appName"),
        ({"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [
            {"user_content": {"parts": [{"text": "hi"}]}}]}]}, "an object with the keys eval_set_id"),
        ([SPAN], "a list, and in it an object with the keys trace_id"),
        ({"chat_history": [], "history": []}, None),
    ],
    ids=["messages", "adk-session", "eval-set", "spans", "chat"],
)  # fmt: skip
@pytest.mark.parametrize("aggregate_only", [False, True])
def test_a_run_without_a_step_is_an_error(content: Any, has: str | None, aggregate_only: bool) -> None:
    Path("run.json").write_text(json.dumps(content))
    options: dict[str, Any] = {"reader": None if has else "autogen_chat"}
    criteria = None if aggregate_only else [REPEATS]
    judged = judged_sync("run.json", criteria, aggregate_only=aggregate_only, **options)

    [error] = judged.errors
    assert (error.run, error.error.code, judged.exit_status) == (1, "no_steps", 3)
    assert error.error.message.startswith("no step and no answer of the agent was read from run.json")
    assert (has or "chat_history") in error.error.message
    assert judged.logs == ()


def test_the_other_runs_of_the_log_are_judged() -> None:
    runs = [{"messages": [ASKED]}, {"messages": [ASKED, {"role": "assistant", "content": "Done."}]}]
    Path("runs.jsonl").write_text("\n".join(map(json.dumps, runs)))
    judged = judged_sync("runs.jsonl", [REPEATS])
    assert [(error.run, error.error.code) for error in judged.errors] == [
        (1, "no_steps"),
        (2, "nothing_measured"),
    ]
    assert [log.run for log in judged.logs] == [2]


def test_a_recorded_run_without_a_step_is_an_error_of_its_case(
    adjudge_here: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"messages": [ASKED], "reply": "Done."}))
    turn = {"user_content": {"parts": [{"text": "Buy milk"}]}, "intermediate_data": {"tool_uses": []}}
    cases = {"eval_set_id": "s", "eval_cases": [{"eval_id": "run", "conversation": [turn]}]}
    (tmp_path / "a.evalset.json").write_text(json.dumps(cases))
    (tmp_path / "test_config.json").write_text('{"criteria": {"tool_trajectory_avg_score": 1.0}}')

    done = adjudge_here("eval", "recorded:run.json", "a.evalset.json", "--output", "r.json")
    assert done.returncode == 3, done.stderr
    [case] = json.loads((tmp_path / "r.json").read_text())["cases"]
    assert case["error"]["code"] == "no_steps"
    assert "the keys messages, reply" in case["error"]["message"]
