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

from adjudge.testing.fixtures import home, workspace

__all__ = ["home", "workspace"]

AGENTS = Path(__file__).parent / "agents"


@pytest.fixture
def home_agent(workspace: Path) -> Path:
    """The folder of the home automation agent, in the working folder."""
    return Path(shutil.copytree(AGENTS / "home_automation_agent", workspace / "home_automation_agent"))


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
def _imported_again(tmp_path: Path) -> Iterator[None]:
    """Agents of other tests have the same names, and lie in other folders."""
    path, variables = list(sys.path), set(os.environ)
    yield
    for name, module in list(sys.modules.items()):
        places = [getattr(module, "__file__", None) or "", *(getattr(module, "__path__", None) or [])]
        if any(str(place).startswith((str(tmp_path), str(AGENTS))) for place in places):
            del sys.modules[name]
    sys.path[:] = path
    for name in set(os.environ) - variables:
        del os.environ[name]
