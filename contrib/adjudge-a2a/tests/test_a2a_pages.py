"""The examples of the page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
RUNNER = REPOSITORY / "tests" / "integration" / "run_docs_page.py"


@pytest.mark.skipif(not RUNNER.exists(), reason="the page is in the repository, not in this distribution")
def test_the_examples_of_the_page_do_what_it_says(workspace: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "docs" / "examples", workspace / "docs" / "examples", ignore=ignored)

    done = subprocess.run(
        [sys.executable, str(RUNNER), str(REPOSITORY / "docs" / "guide" / "a2a.md")],
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
