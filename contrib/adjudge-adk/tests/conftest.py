"""Fixtures of every test."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

AGENTS = Path(__file__).parent / "agents"


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of a test are kept apart from those of the user, and from one another."""
    folder = tmp_path_factory.mktemp("adjudge-home")
    monkeypatch.setenv("ADJUDGE_HOME", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def home_agent(workspace: Path) -> Path:
    """The folder of the home automation agent, in the working folder."""
    return Path(shutil.copytree(AGENTS / "home_automation_agent", workspace / "home_automation_agent"))


def turn(question: str, answer: str, *calls: dict[str, Any]) -> dict[str, Any]:
    """A turn of an eval set."""
    return {
        "user_content": {"role": "user", "parts": [{"text": question}]},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": list(calls)},
    }


@pytest.fixture
def eval_set(workspace: Path) -> Callable[..., Path]:
    """Writes an eval set of cases, each a list of turns."""

    def write(name: str = "cases.evalset.json", **cases: Any) -> Path:
        path = workspace / name
        document = {
            "eval_set_id": name.partition(".")[0],
            "eval_cases": [
                case if isinstance(case, dict) else {"eval_id": key, "conversation": case}
                for key, case in cases.items()
            ],
        }
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def _imported_again() -> Iterator[None]:
    """Agents of other tests have the same names, and lie in other folders."""
    modules, path, variables = set(sys.modules), list(sys.path), dict(os.environ)
    yield
    for name in set(sys.modules) - modules:
        if name.partition(".")[0].startswith(("home_automation_agent", "agent_under_test")):
            del sys.modules[name]
    sys.path[:] = path
    for name in set(os.environ) - set(variables):
        del os.environ[name]
