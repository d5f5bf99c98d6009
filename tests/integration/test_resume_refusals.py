"""What cannot be resumed as it is asked for is refused with a message, and nothing is evaluated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import adjudge as package
from adjudge.errors import RunError

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def finished(tmp_path: Path, adjudge_here: Cli) -> Path:
    """A folder with a run that is named ``run`` and was started with a target."""
    turn = {
        "user_content": {"parts": [{"text": "hello"}]},
        "final_response": {"parts": [{"text": "good day"}]},
    }
    cases = [{"eval_id": "one", "conversation": [turn]}]
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "set", "eval_cases": cases}))
    (tmp_path / "polite.py").write_text("def agent(text):\n    return 'good day'\n")
    (tmp_path / "test_config.json").write_text('{"criteria": {"response_match_score": 0.5}}')
    assert adjudge_here("eval", "polite:agent", "set.test.json", "--run", "run").returncode == 0
    return tmp_path


def test_a_run_that_cannot_be_claimed_says_why(finished: Path, adjudge_here: Cli) -> None:
    lock = finished / "adjudge-home" / "runs" / "run.sqlite3.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    refused = adjudge_here("resume", "run")
    assert refused.returncode == 2
    assert "error: run 'run' cannot be written" in refused.stderr
    assert str(lock) in refused.stderr


def test_an_agent_object_does_not_stand_in_for_the_target_of_a_run(finished: Path) -> None:
    with pytest.raises(RunError, match=r"run 'run' evaluates the agent 'polite:agent', not an object"):
        asyncio.run(package.resume("run", agent=lambda _: "go away"))
