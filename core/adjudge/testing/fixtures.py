"""Pytest fixtures for tests of a plugin. Import them in a ``conftest.py``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adjudge

__all__ = ["home", "ran", "workspace"]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate ``ADJUDGE_HOME`` for this test, so that it does not see other runs."""
    folder = tmp_path_factory.mktemp("adjudge-home")
    monkeypatch.setenv("ADJUDGE_HOME", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ran(workspace: Path) -> Callable[..., Any]:
    """A function that runs an agent on one case, and returns the last repeat of the case.

    ``ran(agent, "First message.", "Second message.", state={}, **options)`` takes the options of ``adjudge.evaluate``.
    """

    def run(agent: object, *said: str, state: dict[str, Any] | None = None, **options: Any) -> Any:
        turns = [
            {"user_content": {"parts": [{"text": text}]}, "final_response": {"parts": [{"text": "done"}]}}
            for text in said
        ]
        start = {"app_name": "shop", "user_id": "ann", "state": state or {}}
        case = {"eval_id": "case", "conversation": turns, "session_input": start}
        path = workspace / "cases.evalset.json"
        path.write_text(json.dumps({"eval_set_id": "cases", "eval_cases": [case]}))
        config = {"criteria": {"response_match_score": 0.5}}
        return list(adjudge.evaluate_sync(agent, path, config=config, **options).details())[-1]

    return run
