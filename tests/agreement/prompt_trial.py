"""The prompts of the judged criteria before and after a commit, and what another criterion in the file changes.

``nox -s agreement -- --judge MODEL --folder FOLDER --before COMMIT`` asks the model, keeps what it said in the folder, and
writes the page. With ``--minutes 0`` nothing is asked, and the page is about what the folder has.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import prompt_page

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
BEFORE, NOW, ADDED = "prompts-before.jsonl", "prompts-now.jsonl", "another-criterion.jsonl"
SOURCES = ("core", "plugins")


def measure(model: str, folder: Path, output: Path, before: str, *, ask: bool) -> None:
    """Ask about every case with the prompts of both states, and about the short runs; write the page."""
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder}: the answers are kept in it")
    folder = folder.resolve()
    if ask:
        judge = ("--judge", model, "--output")
        with tempfile.TemporaryDirectory() as name:
            _checked_out(before, Path(name))
            _run(folder, "prompt_answers.py", *judge, BEFORE, code=Path(name))
        _run(folder, "prompt_answers.py", *judge, NOW)
        _run(folder, "added_criterion.py", *judge, ADDED)
    kept = {name: folder / name for name in (BEFORE, NOW)}
    if absent := [str(path) for path in kept.values() if not path.is_file()]:
        sys.exit(f"nothing was asked yet: there is no {', '.join(absent)}")
    facts = prompt_page.Facts(
        day=datetime.fromtimestamp(kept[NOW].stat().st_mtime, UTC).date().isoformat(),
        commit=before,
        before=_read(kept[BEFORE]),
        now=_read(kept[NOW]),
        added=_read(folder / ADDED) if (folder / ADDED).is_file() else [],
    )
    output.write_text(prompt_page.text(facts), encoding="utf-8")
    print(f"wrote {output}")  # noqa: T201


def _checked_out(commit: str, place: Path) -> None:
    """The sources of a commit. What is installed stays as it is: both states must have the same plugins."""
    command = ("git", "archive", "--format=tar", commit, *SOURCES)
    packed = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=False)
    if packed.returncode:
        sys.exit(f"--before {commit}: there are no sources of it in {REPOSITORY}")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(place, filter="data")


def _run(folder: Path, script: str, *arguments: str, code: Path | None = None) -> None:
    environment = dict(os.environ)
    if code is not None:
        environment["PYTHONPATH"] = os.pathsep.join(str(code / name) for name in SOURCES)
    subprocess.run([sys.executable, str(HERE / script), *arguments], cwd=folder, env=environment, check=True)


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
