"""Writes an agent of the zoo into a folder, as ``adk eval`` takes it, with its eval set."""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("zoo")
ZOO = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def module_of(name: str) -> Any:
    return importlib.import_module(f"zoo.{name}")


def written(name: str, folder: Path) -> Path:
    """The folder of the agent."""
    zoo = module_of(name)
    agent = folder / name
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    shutil.copy(FOLDER / f"{name}.py", agent / "agent.py")
    states = getattr(zoo, "STATES", {})
    cases = [
        {
            "eval_id": key,
            "conversation": turns,
            "session_input": {"app_name": name, "user_id": f"user_of_{key}", "state": states.get(key, {})},
        }
        for key, turns in zoo.CASES.items()
    ]
    document = {"eval_set_id": name, "eval_cases": cases}
    (agent / "cases.evalset.json").write_text(json.dumps(document), encoding="utf-8")
    return agent
