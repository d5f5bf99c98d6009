"""Every example of the documentation does what the page says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "docs" / "examples"
PAGES = sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")])

RUNNER = Path(__file__).with_name("run_docs_page.py")

TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "TERM": "dumb"}

# What the machine has is not the page's: no example calls a model at its reader's expense.
NOT_THE_PAGES = (
    *("ADJUDGE_", "PYTEST_"),
    *("ANTHROPIC_", "AZURE_OPENAI_", "GEMINI_", "GOOGLE_", "OLLAMA_", "OPENAI_"),
)


def run_page(page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a page's examples in ``folder``, where nothing but the examples that it names lies."""
    text = page.read_text(encoding="utf-8")
    if "docs/examples" in text or "docs.examples" in text:
        shutil.copytree(EXAMPLES, folder / "docs" / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_THE_PAGES)}
    return subprocess.run(
        [sys.executable, str(RUNNER), str(page)],
        cwd=folder,
        env={**environment, **TERMINAL},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_examples_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    done = run_page(page, folder)

    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\nassert 1 == 2\n```\n", "AssertionError"),
        ("```console\n$ adjudge --version\nadjudge, version 99\n```\n", "+adjudge, version"),
        ("```console\n$ adjudge --version\n```\n", "+adjudge, version"),
        ("```console\n$ adjudge nonsense\n...\n$ echo $?\n0\n```\n", "+2"),
        ("```console\n$ rm -r folder\n```\n", "only 'adjudge ...'"),
        ("```python\nx = 1\n", "never closed"),
    ],
    ids=["python", "output", "no output", "status", "other command", "open block"],
)
def test_an_example_that_is_wrong_is_found(text: str, complaint: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    done = run_page(page, tmp_path)

    assert done.returncode != 0
    assert complaint in done.stdout + done.stderr


def test_an_example_that_needs_a_distribution_runs_only_where_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('```console needs="nobody_has_this"\n$ adjudge nonsense\n```\n', encoding="utf-8")
    assert run_page(page, tmp_path).returncode == 0

    page.write_text('```console needs="click"\n$ adjudge nonsense\n```\n', encoding="utf-8")
    assert run_page(page, tmp_path).returncode != 0


def test_an_example_that_is_right_passes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '```python title="mine/one.py"\nVALUE = 1\n```\n'
        "```python\nfrom mine.one import VALUE\n```\n"
        "* in a list:\n\n    ```python\n    assert VALUE == 1\n    ```\n"
        "```console\n$ adjudge --version\nadjudge, version ...\n$ echo $?\n0\n$ adjudge \\\n    --help\n...\nOptions:\n...\n```\n",
        encoding="utf-8",
    )
    done = run_page(page, tmp_path)

    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
