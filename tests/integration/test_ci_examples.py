"""The workflows of the documentation: read as their CI system reads them, and their commands run, without any network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "reports.md"
BLOCK = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture
def files() -> dict[str, str]:
    """The files that the page shows."""
    return {name: text for _, name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}


@pytest.fixture
def folder(tmp_path: Path, files: dict[str, str]) -> Path:
    """A repository as the page has it."""
    for name in ("weather.py", "weather.evalset.json"):
        (tmp_path / name).write_text(files[name], encoding="utf-8")
    return tmp_path


def shell(command: str, folder: Path, **environment: str) -> int:
    """The exit status of a command, with this adjudge first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        check=False,
        timeout=120,
    )
    return done.returncode


def parsed(text: str) -> Any:
    return YAML(typ="safe").load(text)


def test_the_workflow_of_github_gives_a_summary_and_a_page(files: dict[str, str], folder: Path) -> None:
    workflow = parsed(files[".github/workflows/evaluate.yml"])
    assert set(workflow) == {"name", "on", "permissions", "jobs"}
    assert "pull_request" in workflow["on"]
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    [job] = workflow["jobs"].values()
    assert set(job) == {"runs-on", "steps"}
    steps = {step.get("name", step.get("uses")): step for step in job["steps"]}
    for step in steps.values():
        assert set(step) <= {"name", "uses", "with", "run", "if", "env", "continue-on-error"}
        assert ("uses" in step) != ("run" in step)
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v1"))
        # What comes from outside reaches a shell through the environment alone.
        assert "${{" not in step.get("run", "")

    assert shell(steps["Evaluate"]["run"], folder) == 1
    assert shell(steps["Summary"]["run"], folder, GITHUB_STEP_SUMMARY=str(folder / "summary.md")) == 0

    assert "## 🔴 FAIL 1 of 3 cases failed" in (folder / "summary.md").read_text(encoding="utf-8")
    kept = folder / steps["Keep the page"]["with"]["path"]
    assert kept.read_text(encoding="utf-8").startswith("<!doctype html>")
    said = steps["Comment"]["run"].split("--body-file ")[1].split()[0]
    assert (folder / said).is_file()
    # A failed evaluation must not keep what is said of it from being shown.
    assert {name for name, step in steps.items() if step.get("if") == "always()"} == {
        *("Summary", "Comment", "Keep the page"),
    }


def test_the_job_of_gitlab_gives_a_page_and_results(files: dict[str, str], folder: Path) -> None:
    [job] = parsed(files[".gitlab-ci.yml"]).values()
    assert set(job) == {"image", "rules", "script", "artifacts"}
    install, evaluate = job["script"]
    assert install == "pip install -r requirements.txt"

    assert shell(evaluate, folder) == 1

    artifacts = job["artifacts"]
    assert set(artifacts) == {"when", "expose_as", "paths", "reports"}
    assert artifacts["when"] == "always"
    assert [(folder / path).is_file() for path in artifacts["paths"]] == [True]
    assert (folder / artifacts["reports"]["junit"]).read_text(encoding="utf-8").startswith("<?xml")
