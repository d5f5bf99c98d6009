"""What a start pays for: ``--help`` imports nothing heavy, and a plugin's own module is light."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEAVY = {
    "asyncio",
    "httpx",
    "importlib_metadata",
    "nltk",
    "numpy",
    "pluggy",
    "pydantic",
    "rich",
    "rouge_score",
    "sqlite3",
}

HELP = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), sep="\\n", file=sys.stderr))
from adjudge.cli import main
sys.argv = ["adjudge", *sys.argv[1:]]
main()
"""

LISTING = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
"""


def run(code: str, *arguments: str) -> tuple[str, set[str]]:
    """What the code printed, and the modules that were imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_no_plugin_and_nothing_heavy(option: str) -> None:
    run(HELP, option)  # what distributions add is looked up once, and kept until one comes or goes
    printed, modules = run(HELP, option)

    assert "adjudge" in printed
    assert "click" in modules
    assert {module for module in modules if module.startswith("adjudge_plugins")} == set()
    assert HEAVY & modules == set()


def test_modules_of_plugins_import_nothing_heavy(project: dict[str, Any]) -> None:
    plugins = project["project"]["entry-points"]["adjudge"].values()
    _, modules = run(LISTING, *plugins)

    assert set(plugins) <= modules
    # pluggy and pydantic are what a plugin and its options are made of.
    assert (HEAVY - {"importlib_metadata", "pluggy", "pydantic"}) & modules == set()


def test_the_stemmer_is_imported_where_words_differ_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "polite.py").write_text(
        "def agent(text):\n    return 'Good day'\n\n\ndef other(text):\n    return 'Goods'\n"
    )
    turn = {
        "user_content": {"parts": [{"text": "hello"}]},
        "final_response": {"parts": [{"text": "good day!"}]},
    }
    eval_set = {"eval_set_id": "set", "eval_cases": [{"eval_id": "one", "conversation": [turn]}]}
    (tmp_path / "set.evalset.json").write_text(json.dumps(eval_set))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.1}}))

    _, modules = run(HELP, "eval", "polite:agent", "set.evalset.json")
    assert "nltk" not in modules
    _, modules = run(HELP, "eval", "polite:other", "set.evalset.json")
    assert "nltk" in modules
