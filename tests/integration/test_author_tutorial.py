"""The page for authors is followed to the letter, in an environment of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "authors" / "plugins.md"
FILE = re.compile(r'^```\w+ title="(?P<name>[^"]+)"\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```text\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
CONFIGS = re.compile(r"^```json\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tutorial")
    for block in FILE.finditer(page):
        path = folder / block["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["text"], encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def environment(
    project: Path, new_environment: Callable[[], Any], build_wheel: Callable[[Path], Path]
) -> Any:
    made = new_environment()
    made.install(build_wheel(project))
    return made


def test_the_package_of_the_page_passes_its_tests(environment: Any, project: Path) -> None:
    told = environment.run("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", cwd=project)

    assert " passed" in told


def test_the_commands_of_the_page_print_what_it_shows(page: str, environment: Any, tmp_path: Path) -> None:
    lines = [line for block in SHOWN.finditer(page) for line in block["text"].splitlines()]
    printed: list[str] = []
    commands = 0
    for line in lines:
        if line.startswith("$ adjudge "):
            done = environment.adjudge(*line.split()[2:], cwd=tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
            printed = done.stdout.splitlines()
            commands += 1
        elif line.startswith("$ "):
            printed = []
        elif line != "...":
            assert line in printed

    assert commands >= 2


def test_the_configurations_of_the_page_run(page: str, environment: Any, tmp_path: Path) -> None:
    turn = {
        "user_content": {"parts": [{"text": "hi"}]},
        "final_response": {"parts": [{"text": "hello"}]},
    }
    eval_set = {"eval_set_id": "set", "eval_cases": [{"eval_id": "case", "conversation": [turn]}]}
    (tmp_path / "set.evalset.json").write_text(json.dumps(eval_set), encoding="utf-8")
    (tmp_path / "polite.py").write_text("def agent(text):\n    return 'hello'\n", encoding="utf-8")
    configs = [block["text"] for block in CONFIGS.finditer(page)]
    assert len(configs) == 2

    for config in configs:
        (tmp_path / "test_config.json").write_text(config, encoding="utf-8")
        done = environment.adjudge("eval", "polite:agent", "set.evalset.json", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
