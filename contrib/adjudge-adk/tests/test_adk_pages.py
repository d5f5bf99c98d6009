"""The examples of the project's pages that need a real agent of google-adk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
RUNNER = REPOSITORY / "tests" / "integration" / "run_docs_page.py"
TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "TERM": "dumb"}


@pytest.mark.skipif(not RUNNER.exists(), reason="the pages are in the repository, not in this distribution")
@pytest.mark.parametrize("page", ["docs/coming-from/adk.md", "docs/guide/adk.md"])
def test_the_examples_of_a_page_do_what_it_says(page: str, workspace: Path) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    assert 'needs="adjudge_adk"' in text
    ignored = shutil.ignore_patterns("__pycache__", ".adk")
    shutil.copytree(REPOSITORY / "docs" / "examples", workspace / "docs" / "examples", ignore=ignored)

    done = subprocess.run(
        [sys.executable, str(RUNNER), str(REPOSITORY / page)],
        cwd=workspace,
        env={**os.environ, **TERMINAL},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
