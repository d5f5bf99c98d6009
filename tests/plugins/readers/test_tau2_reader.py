"""tau2-bench: users that call tools, the policy, and rewards that no judge may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.plugin import InputError


def called(identity: str, requestor: str) -> list[dict[str, Any]]:
    return [{"id": identity, "name": "look", "arguments": {}, "requestor": requestor}]


def test_calls_of_the_user_are_the_users(tmp_path: Path) -> None:
    messages = [
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "My phone is off."},
        {"role": "assistant", "content": "Look at it."},
        {"role": "user", "content": None, "tool_calls": called("u", "user")},
        {"role": "tool", "id": "u", "content": "on", "requestor": "user"},
        {"role": "user", "content": "It is on."},
        {"role": "assistant", "content": None, "tool_calls": called("a", "assistant")},
        {"role": "tool", "id": "a", "content": "no line", "requestor": "assistant", "error": True},
    ]
    results = {
        "info": {
            "environment_info": {"policy": "Be kind.", "tool_defs": {"look": {"description": "Looks."}}}
        },
        "tasks": [{"id": 7, "user_scenario": {"instructions": "x"}, "evaluation_criteria": "SECRET"}],
        "simulations": [
            {"id": "s", "task_id": "7", "trial": 2, "reward_info": {"reward": "SECRET"}, "messages": messages}
        ],
    }
    (tmp_path / "results.json").write_text(json.dumps(results))
    [run] = read_log(tmp_path / "results.json")
    assert run.eval_id == "7_trial_2"
    assert [turn.user_content.text for turn in run.invocations] == ["", "My phone is off.", "It is on."]
    assert [call.id for turn in run.invocations for call in turn.tool_calls] == ["a"]
    assert run.steps[-1].results[0].is_error
    assert (run.extra or {})["user_scenario"] == {"instructions": "x"}
    assert "SECRET" not in run.model_dump_json()
    details = run.invocations[0].app_details
    assert details is not None
    assert details.agent_details["assistant"].instructions == "Be kind."
    assert details.agent_details["assistant"].tool_declarations == (
        {"name": "look", "description": "Looks."},
    )


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="found no simulation"):
        list(read_log(tmp_path / "x.json", reader="tau2"))
