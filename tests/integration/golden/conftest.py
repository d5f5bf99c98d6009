"""Golden files: the whole of what users and programs read, compared with a file of its own.

``expected/`` holds what each command printed or wrote. ``ADJUDGE_UPDATE_GOLDEN=1`` writes the files anew; the tests
fail then all the same, so that nobody takes them for passed, and where ``CI`` is set nothing is written.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import adjudge
from adjudge.testing import fake_distribution

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
INPUTS = HERE / "inputs"
UPDATE = "ADJUDGE_UPDATE_GOLDEN"

_SPOKEN_OF = re.compile(r"_API_KEY$|^(OPENAI|AZURE|GOOGLE|GEMINI|ANTHROPIC|OLLAMA|VERTEX|ADJUDGE_JUDGE)")
"""Variables of the environment that the listings of judges speak of."""
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_WIDTH = 110
_HASH = re.compile(r'((?:plan_hash|sha256|recording)"(?:: | value=)")([0-9a-f]{64})')


def masked(text: str, folder: Path) -> str:
    """The text without what differs from one run or machine to the next."""
    text = text.replace(str(folder), "<folder>")
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", "<time>", text)
    text = re.sub(r'("(?:duration|seconds)":\s*)[0-9.e-]+', r"\1<seconds>", text)
    text = re.sub(r'( time=")[0-9.e-]+"', r'\1<seconds>"', text)
    # The last line of a run may wrap, and where depends on the figures.
    text = re.sub(r"(run golden)\s+\d+\.\d\s+s$", r"\1   <seconds>", text, flags=re.MULTILINE)
    text = re.sub(r"(?<=  )\d+(\.\d+)? (ms|s|min)$", "<seconds>", text, flags=re.MULTILINE)
    # Whether an answer was known or under way when it was asked for again differs.
    text = re.sub(r'("cached": )\d+', r"\1<number>", text)
    text = re.sub(r"(calls, )\d+ (answers? known already)", r"\1<number> \2", text)
    # Hashes over versions of adjudge, and of a file with times; that two are the same is still seen.
    hashes: dict[str, str] = {}
    text = _HASH.sub(lambda found: found[1] + hashes.setdefault(found[2], f"<hash {len(hashes) + 1}>"), text)
    # The last digits of a statistic are the processor's.
    text = re.sub(r"(?<![\w.])\d+\.\d{13,}", lambda found: str(round(float(found[0]), 9)), text)
    text = re.sub(r'(adjudge_version"(?:: | value=))"[^"]+"', r'\1"<version>"', text)
    text = re.sub(r'(python_version": )"[^"]+"', r'\1"<version>"', text)
    own = rf"{re.escape(adjudge.__version__)}(?![\w.])"
    text = re.sub(rf'(\badjudge,? (?:version )?|distribution_version": "){own}', r"\1<version>", text)
    return re.sub("adjudge <version> {2,}", "adjudge <version>  ", text)  # columns are as wide as it is long


def unfolded(document: str) -> str:
    """JSON with a line for each short object, list or value, every token as it is written."""
    lines, open_at = [""], list[int]()
    for part in _TOKENS.findall(document):
        if part in "}]":
            start = open_at.pop()
            inside = [line.strip() for line in lines[start + 1 :] if line.strip()]
            short = f"{lines[start]}{' '.join(inside)}{part}"
            fits = len(inside) == len(lines) - start - 1 and len(short) <= _WIDTH
            lines[start:] = [short] if fits or not inside else [*lines[start:], "  " * len(open_at) + part]
            continue
        lines[-1] += f"{part} " if part == ":" else part
        if part in "{[":
            open_at.append(len(lines) - 1)
        if part in "{[,":
            lines.append("  " * len(open_at))
    return "\n".join(lines)


@dataclass
class Golden:
    """What commands give in ``folder``, which has a copy of the inputs, beside what is expected."""

    folder: Path
    written: list[str] = field(default_factory=list[str])

    def text(self, name: str, text: str) -> None:
        """Compare with ``expected/NAME``, or write it anew."""
        found = masked(text, self.folder)
        path = EXPECTED / name
        if os.environ.get(UPDATE):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found, encoding="utf-8")
            self.written.append(name)
            return
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        if found != expected:
            lines = difflib.unified_diff(
                expected.splitlines(), found.splitlines(), f"expected/{name}", "found", lineterm=""
            )
            pytest.fail("\n".join([*lines, f"(where this is right: {UPDATE}=1)"]), pytrace=False)

    def json(self, name: str, document: str) -> None:
        """Compare every token of a JSON document, and how its lines begin."""
        begins = [f"{line[:60]}…" if len(line) > 60 else line for line in document.split("\n")]
        self.text(name, "\n".join([unfolded(document), "", "--- the lines of the file", *begins]))

    def command(self, name: str, done: CompletedProcess[str]) -> None:
        """Compare the exit status and both streams of a command."""
        errors = f"--- standard error\n{done.stderr}" if done.stderr else ""
        self.text(name, f"{done.stdout}{errors}--- exit status {done.returncode}\n")


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Golden]:
    """The folder that commands run in, a judge that is a program, and the expected texts."""
    if os.environ.get(UPDATE) and os.environ.get("CI"):
        pytest.fail(f"{UPDATE} is set where CI is: nothing is written", pytrace=False)
    for name in os.environ:
        if _SPOKEN_OF.search(name):
            monkeypatch.delenv(name)
    for name, value in {
        "COLUMNS": "100",
        "LINES": "40",
        "NO_COLOR": "1",
        "OLLAMA_HOST": "http://127.0.0.1:1",
        "no_proxy": "*",
    }.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(INPUTS, tmp_path, dirs_exist_ok=True)
    site = tmp_path / "installed"
    source = (HERE / "scripted_judge.py").read_text(encoding="utf-8")
    fake_distribution(
        site,
        "adjudge-scripted",
        entry_points={"scripted": "scripted_judge"},
        modules={"scripted_judge": source},
    )
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", str(site))
    found = Golden(tmp_path)
    yield found
    if found.written:
        pytest.fail(f"written anew: {', '.join(found.written)}; unset {UPDATE} and run again", pytrace=False)
